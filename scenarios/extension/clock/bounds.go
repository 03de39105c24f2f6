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
func (b Bounds) Divide(count float64) Bounds {
	return Bounds{int64(float64(b.Low) / count), int64(float64(b.High) / count)}
}
