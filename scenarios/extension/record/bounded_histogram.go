package record

import "touchstone/k6/clock"

// resultDigits is the number of significant digits of the histograms in a result.
const resultDigits = 4

// boundedHistogram counts durations, and the lower and upper bound of each. Any percentile of the true durations lies
// between the same percentiles of the lower and the upper bounds.
type boundedHistogram struct {
	histogram
	low, high *histogram // nil before the first duration with bounds
}

func newBoundedHistogram() *boundedHistogram {
	return &boundedHistogram{histogram: *newHistogram(resultDigits)}
}

// addBounded adds count equal durations with equal bounds.
func (h *boundedHistogram) addBounded(ns int64, bounds clock.Bounds, isBounded bool, count int64) {
	h.addEqual(ns, count)
	if !isBounded {
		return
	}
	if h.low == nil {
		h.low, h.high = newHistogram(resultDigits), newHistogram(resultDigits)
	}
	h.low.addEqual(bounds.Low, count)
	h.high.addEqual(bounds.High, count)
}

// result encodes the histogram. It includes the bounds only if all durations have them.
func (h *boundedHistogram) result(hasBounds bool) HistogramResult {
	result := HistogramResult{SamplesResult: h.histogram.result()}
	if hasBounds && h.low != nil && h.low.n == h.n {
		low, high := h.low.result(), h.high.result()
		result.Low, result.High = &low, &high
	}
	return result
}
