package record

import "touchstone/k6/clock"

// resultDigits is the number of significant digits of the histograms in a result.
const resultDigits = 4

// boundedHistogram counts durations, and the lower and upper bound of each. Any percentile of the true durations lies
// between the same percentiles of the lower and the upper bounds.
type boundedHistogram struct {
	histogram
	unbounded int64
	low, high ends
	exact     *histogram // measured durations that equal their bounds; nil if all of them do
}

// ends are the lower or the upper bounds of all durations. The histogram contains only the bounds of inexact
// durations, because most durations are exact and equal their bounds.
type ends struct {
	sumNs, minNs, maxNs int64
	inexact             *histogram
}

func newBoundedHistogram() *boundedHistogram {
	return &boundedHistogram{histogram: *newHistogram(resultDigits)}
}

// addBounded adds count equal durations with equal bounds.
func (h *boundedHistogram) addBounded(ns int64, bounds clock.Bounds, isBounded bool, count int64) {
	isFirst := h.n == 0
	isExact := bounds.Low == ns && bounds.High == ns
	if isBounded && !isExact && h.exact == nil {
		h.exact, h.low.inexact, h.high.inexact = newHistogram(resultDigits), newHistogram(resultDigits), newHistogram(resultDigits)
		h.exact.hdr.Merge(h.hdr)
	}
	h.addEqual(ns, count)
	if !isBounded {
		h.unbounded += count
		return
	}
	h.low.add(max(0, bounds.Low), count, isFirst)
	h.high.add(max(0, bounds.High), count, isFirst)
	switch {
	case !isExact:
		h.low.inexact.addEqual(bounds.Low, count)
		h.high.inexact.addEqual(bounds.High, count)
	case h.exact != nil:
		h.exact.addEqual(ns, count)
	}
}

func (e *ends) add(ns, count int64, isFirst bool) {
	if isFirst || ns < e.minNs {
		e.minNs = ns
	}
	e.maxNs = max(e.maxNs, ns)
	e.sumNs += ns * count
}

// result encodes the histogram. It includes the bounds only if all durations have them.
func (h *boundedHistogram) result(hasBounds bool) HistogramResult {
	result := HistogramResult{SamplesResult: h.histogram.result()}
	if hasBounds && h.unbounded == 0 {
		result.Low, result.High = h.endsResult(&h.low, result.Encoded), h.endsResult(&h.high, result.Encoded)
	}
	return result
}

// endsResult encodes the bounds of all durations. If all durations are exact, their encoded histogram is reused.
func (h *boundedHistogram) endsResult(e *ends, encoded string) *SamplesResult {
	if h.exact != nil {
		all := newHistogram(resultDigits)
		all.hdr.Merge(h.exact.hdr)
		all.hdr.Merge(e.inexact.hdr)
		encoded = all.encode()
	}
	return &SamplesResult{
		N: h.n, SumMs: clock.Ms(e.sumNs), MinMs: clock.Ms(e.minNs), MaxMs: clock.Ms(e.maxNs), Encoded: encoded,
	}
}
