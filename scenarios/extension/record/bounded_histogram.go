package record

import (
	"github.com/HdrHistogram/hdrhistogram-go"

	"touchstone/k6/clock"
)

// resultDigits is the number of significant digits of the histograms in a result.
const resultDigits = 4

// boundedHistogram counts durations, and the lower and upper bound of each. Any percentile of the true durations lies
// between the same percentiles of the lower and the upper bounds.
type boundedHistogram struct {
	histogram
	unbounded int64
	low, high ends
	inexact   *histogram // measured durations that differ from a bound; nil if there are none
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

// addBounds adds the bounds of the durations that were added last: count equal durations.
func (h *boundedHistogram) addBounds(ns int64, bounds clock.Bounds, isBounded bool, count int64) {
	if !isBounded {
		h.unbounded += count
		return
	}
	isFirst := h.n == count
	h.low.add(max(0, bounds.Low), count, isFirst)
	h.high.add(max(0, bounds.High), count, isFirst)
	if bounds.Low == ns && bounds.High == ns {
		return
	}
	if h.inexact == nil {
		h.inexact, h.low.inexact, h.high.inexact = newHistogram(resultDigits), newHistogram(resultDigits), newHistogram(resultDigits)
	}
	h.inexact.addEqual(ns, count)
	h.low.inexact.addEqual(bounds.Low, count)
	h.high.inexact.addEqual(bounds.High, count)
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
		result.Low, result.High = h.endsResult(&h.low), h.endsResult(&h.high)
	}
	return result
}

func (h *boundedHistogram) endsResult(e *ends) *SamplesResult {
	all := &histogram{hdr: h.hdr, n: h.n, sumNs: e.sumNs, minNs: e.minNs, maxNs: e.maxNs}
	if h.inexact != nil {
		all.hdr = replaceCounts(h.hdr, h.inexact.hdr, e.inexact.hdr)
	}
	result := all.result()
	return &result
}

// replaceCounts returns a copy of a histogram without the removed values and with the added values. All histograms have
// the same buckets.
func replaceCounts(all, removed, added *hdrhistogram.Histogram) *hdrhistogram.Histogram {
	snapshot, minus, plus := all.Export(), removed.Export(), added.Export()
	for index := range snapshot.Counts {
		snapshot.Counts[index] += plus.Counts[index] - minus.Counts[index]
	}
	return hdrhistogram.Import(snapshot)
}
