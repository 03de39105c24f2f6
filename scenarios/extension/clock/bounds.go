package clock

// Bounds contain an instant or a duration that is not known exactly. Both ends are included.
type Bounds struct{ Low, High int64 }

// Exactly returns the bounds of a known value.
func Exactly(ns int64) Bounds { return Bounds{ns, ns} }

// Since returns the bounds of the duration from a start, which is never negative.
func (b Bounds) Since(start Bounds) Bounds {
	return Bounds{max(0, b.Low-start.High), max(0, b.High-start.Low)}
}

// Divide returns the bounds divided by a positive count.
func (b Bounds) Divide(count int64) Bounds { return Bounds{b.Low / count, b.High / count} }

// Arrival is the result of a read from a connection: when its bytes arrived. Bytes of one segment arrived exactly at the high end. Otherwise
// the low end is the last instant at which there was nothing to read. If the reader waited for the bytes, LateNs is the instant at which it
// read them, and 0 otherwise.
type Arrival struct {
	Bounds
	LateNs int64
}

// Within returns the bounds of the arrival if the read was delayed by no more than a duration.
func (a Arrival) Within(delayNs int64) Bounds {
	if a.LateNs == 0 {
		return a.Bounds
	}
	return Bounds{min(a.High, max(a.Low, a.LateNs-delayNs)), a.High}
}
