// Package record counts what a process sends and measures, exactly enough to be merged with what others did.
package record

import (
	"github.com/HdrHistogram/hdrhistogram-go"

	"touchstone/k6/clock"
)

// highestUs is an hour: what takes longer is counted as an hour, while its sum and maximum stay true.
const highestUs = 3_600_000_000

// histogram holds durations in microseconds.
type histogram struct {
	hdr                 *hdrhistogram.Histogram
	n                   int64
	sumNs, minNs, maxNs int64
}

func newHistogram(digits int) *histogram {
	return &histogram{hdr: hdrhistogram.New(1, highestUs, digits)}
}

func (h *histogram) add(ns int64) {
	ns = max(ns, 0)
	us := min((ns+500)/1000, highestUs)
	_ = h.hdr.RecordValue(us) // within its range
	if h.n == 0 || ns < h.minNs {
		h.minNs = ns
	}
	h.maxNs = max(h.maxNs, ns)
	h.sumNs += ns
	h.n++
}

// quantileMs is nil where there is nothing to say.
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
		panic(err) // it writes to memory
	}
	return string(encoded)
}

func (h *histogram) result() HistogramResult {
	return HistogramResult{
		N:       h.n,
		SumMs:   clock.Ms(h.sumNs),
		MinMs:   clock.Ms(h.minNs),
		MaxMs:   clock.Ms(h.maxNs),
		Encoded: h.encode(),
	}
}
