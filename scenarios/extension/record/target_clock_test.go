package record

import (
	"net/http"
	"testing"
	"time"

	"touchstone/k6/clock"
)

// respond adds the responses of a server whose clock is ahead, one every 100 ms. A response takes 20 ms.
func respond(c *targetClock, ahead time.Duration) {
	for index := range int64(50) {
		arrivedNs := index * 100 * ms
		date := clock.Wall(arrivedNs - 10*ms).Add(ahead).UTC().Format(http.TimeFormat)
		c.add(date, arrivedNs-20*ms, arrivedNs)
	}
}

func isBetween(t *testing.T, name string, value, low, high float64) {
	t.Helper()
	if value < low || value > high {
		t.Errorf("%s is %v, not between %v and %v", name, value, low, high)
	}
}

func TestBoundsTheClockOfTheTarget(t *testing.T) {
	for _, ahead := range []time.Duration{0, 2 * time.Second, -time.Hour} {
		c := &targetClock{}
		respond(c, ahead)
		trueMs := float64(ahead.Milliseconds())
		isBetween(t, "the lower bound", c.result().LowMs, trueMs-120, trueMs)
		isBetween(t, "the upper bound", c.result().HighMs, trueMs, trueMs+120)
	}
}

func TestBoundsOfTheTargetClockIncludeTheClocksOfAllServers(t *testing.T) {
	c := &targetClock{}
	respond(c, 0)
	respond(c, 3*time.Second)
	isBetween(t, "the lower bound", c.result().LowMs, -120, 120)
	isBetween(t, "the upper bound", c.result().HighMs, 2880, 3120)
}

func TestTargetClockIgnoresResponsesWithoutADate(t *testing.T) {
	c := &targetClock{}
	c.add("", 0, ms)
	c.add("yesterday", 0, ms)
	if c.result() != nil {
		t.Errorf("%+v", c.result())
	}
}
