package wire

import (
	"math"
	"testing"
	"time"

	"touchstone/k6/clock"
)

func TestTheDelayOfAReadIsTheLargestOfAllReadsAroundIt(t *testing.T) {
	const second = int64(time.Second)
	d := &delays{}
	addMany := func(readNs, delayNs int64) {
		for range minReads - 1 {
			d.add(readNs, delayNs)
		}
	}
	d.add(8*second, 900)
	addMany(10*second-slotNs, 70)
	if got := d.around(10 * second); got != math.MaxInt64 {
		t.Errorf("with few reads: %d", got)
	}
	d.add(10*second, 50)
	if got := d.around(10 * second); got != 2*70 {
		t.Errorf("before the read: %d", got)
	}
	// The whole process was delayed, and this read was the first one after the delay.
	d.add(10*second+slotNs, 200)
	if got := d.around(10 * second); got != 2*200 {
		t.Errorf("after the read: %d", got)
	}
	d.add(10*second+2*slotNs, maxIdleDelay+1)
	if got := d.around(10 * second); got != math.MaxInt64 {
		t.Errorf("on a busy machine: %d", got)
	}
	addMany(15*second, 1) // the slot of 10 s
	if got := d.around(15 * second); got != math.MaxInt64 {
		t.Errorf("with few reads five seconds later: %d", got)
	}
	d.add(15*second, 1)
	if got := d.around(15 * second); got != 2 {
		t.Errorf("five seconds later: %d", got)
	}
}

func TestBoundsTheArrivalOfALateReadByTheDelay(t *testing.T) {
	late := clock.Arrival{Bounds: clock.Bounds{Low: 100, High: 150}, LateNs: 160}
	for delayNs, want := range map[int64]clock.Bounds{
		math.MaxInt64: {Low: 100, High: 150}, 100: {Low: 100, High: 150}, 40: {Low: 120, High: 150}, 5: {Low: 150, High: 150},
	} {
		if got := late.Within(delayNs); got != want {
			t.Errorf("delayed by %d: %v, not %v", delayNs, got, want)
		}
	}
	exact := clock.Arrival{Bounds: clock.Exactly(150)}
	if got := exact.Within(math.MaxInt64); got != clock.Exactly(150) {
		t.Errorf("%v", got)
	}
}

func TestTheProbeMeasuresDelays(t *testing.T) {
	if near, _ := pair(t); !near.IsBounded() {
		t.Skip("the kernel reports no times")
	}
	Prepare()
	isEmpty := func() bool {
		readDelays.mutex.Lock()
		defer readDelays.mutex.Unlock()
		for _, slot := range readDelays.slots {
			if slot.maxNs > 0 {
				return false
			}
		}
		return true
	}
	for isEmpty() {
		time.Sleep(time.Millisecond)
	}
}
