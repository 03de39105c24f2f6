package record

import (
	"net/http"

	"touchstone/k6/clock"
)

// TargetClockResult bounds the clock of the target minus the clock of this machine, in milliseconds. A merge compares
// the clocks of several machines with it.
type TargetClockResult struct {
	LowMs  float64 `json:"lowMs"`
	HighMs float64 `json:"highMs"`
}

// targetClock reads the clock of the target from Date headers. A Date is a full second: the clock shows at least this
// second when the headers arrive, and less than the next one when the request is sent.
type targetClock struct {
	isKnown       bool
	date          string // last Date, because most responses of a second have the same one
	dateNs        int64
	lowNs, highNs int64
}

// add reads the Date of a response whose request was sent at an instant and whose headers arrived at another.
func (c *targetClock) add(date string, sentNs, arrivedNs int64) {
	if date == "" {
		return
	}
	if date != c.date {
		parsed, err := http.ParseTime(date)
		if err != nil {
			return
		}
		c.date, c.dateNs = date, parsed.UnixNano()
	}
	low, high := c.dateNs-clock.Wall(arrivedNs).UnixNano(), c.dateNs+1e9-clock.Wall(sentNs).UnixNano()
	if !c.isKnown {
		c.isKnown, c.lowNs, c.highNs = true, low, high
		return
	}
	c.lowNs, c.highNs = max(c.lowNs, low), min(c.highNs, high)
}

// result returns nil without a Date. If several servers with different clocks responded, the bounds include all of
// these clocks.
func (c *targetClock) result() *TargetClockResult {
	if !c.isKnown {
		return nil
	}
	return &TargetClockResult{LowMs: clock.Ms(min(c.lowNs, c.highNs)), HighMs: clock.Ms(max(c.lowNs, c.highNs))}
}
