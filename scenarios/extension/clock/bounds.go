package clock

// Bounds are the earliest and the latest possible value (both inclusive) of an instant or a duration that is not known
// exactly.
type Bounds struct{ Low, High int64 }

// Exactly returns the bounds of a known value.
func Exactly(ns int64) Bounds { return Bounds{ns, ns} }

// Since returns the bounds of the duration since a start. The duration is never negative.
func (b Bounds) Since(start Bounds) Bounds {
	return Bounds{max(0, b.Low-start.High), max(0, b.High-start.Low)}
}

// Divide returns the bounds divided by a positive count.
func (b Bounds) Divide(count int64) Bounds { return Bounds{b.Low / count, b.High / count} }

// Arrival describes when the bytes of one read arrived on a connection. If the bytes came in one segment, they arrived
// exactly at the upper bound. Otherwise, the lower bound is the last instant at which there was nothing to read. LateNs
// is the start of the read if the time is not exact and the reader had waited for the bytes, otherwise 0.
type Arrival struct {
	Bounds
	LateNs int64
}

// Within returns the bounds of the arrival, given the maximum delay of the read.
func (a Arrival) Within(delayNs int64) Bounds {
	if a.LateNs == 0 {
		return a.Bounds
	}
	return Bounds{min(a.High, max(a.Low, a.LateNs-delayNs)), a.High}
}
