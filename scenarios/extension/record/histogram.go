// Package record counts the requests and latencies of a process, so that they can be merged exactly with those of
// other processes.
package record

import (
	"github.com/HdrHistogram/hdrhistogram-go"

	"touchstone/k6/clock"
)

// highestUs is one hour. Longer durations count as one hour in the histogram, but sum and maximum stay exact.
const highestUs = 3_600_000_000

// histogram counts durations in microseconds.
type histogram struct {
	hdr                 *hdrhistogram.Histogram
	n                   int64
	sumNs, minNs, maxNs int64
}

func newHistogram(digits int) *histogram {
	return &histogram{hdr: hdrhistogram.New(1, highestUs, digits)}
}

func (h *histogram) add(ns int64) { h.addEqual(ns, 1) }

// addEqual adds a number of equal durations.
func (h *histogram) addEqual(ns, count int64) {
	ns = max(ns, 0)
	us := min((ns+500)/1000, highestUs)
	_ = h.hdr.RecordValues(us, count) // cannot fail: the value is within the range of the histogram
	if h.n == 0 || ns < h.minNs {
		h.minNs = ns
	}
	h.maxNs = max(h.maxNs, ns)
	h.sumNs += ns * count
	h.n += count
}

// quantileMs returns a percentile in milliseconds, or nil if the histogram is empty.
func (h *histogram) quantileMs(percent float64) *float64 {
	if h.n == 0 {
		return nil
	}
	ms := float64(h.hdr.ValueAtPercentile(percent)) / 1000
	return &ms
}

func (h *histogram) encode() string {
	encoded, err := h.hdr.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		panic(err) // cannot happen: it writes to memory
	}
	return string(encoded)
}

func (h *histogram) result() SamplesResult {
	return SamplesResult{
		N:       h.n,
		SumMs:   clock.Ms(h.sumNs),
		MinMs:   clock.Ms(h.minNs),
		MaxMs:   clock.Ms(h.maxNs),
		Encoded: h.encode(),
	}
}
