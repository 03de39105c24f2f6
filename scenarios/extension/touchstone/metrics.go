package touchstone

import (
	"time"

	"go.k6.io/k6/v2/metrics"

	"touchstone/k6/clock"
	"touchstone/k6/record"
)

// k6Metrics are ours. Each trend has a counter by its side: k6 lets a threshold on a trend without samples pass.
type k6Metrics struct {
	ttft, gap, tpot, e2e, startLag twin
	tokens, events, good           *metrics.Metric
}

type twin struct{ trend, count *metrics.Metric }

func registerMetrics(registry *metrics.Registry) (*k6Metrics, error) {
	var firstErr error
	add := func(name string, kind metrics.MetricType, holds metrics.ValueType) *metrics.Metric {
		metric, err := registry.NewMetric(name, kind, holds)
		if err != nil && firstErr == nil {
			firstErr = err
		}
		return metric
	}
	both := func(name string) twin {
		return twin{
			trend: add(name, metrics.Trend, metrics.Time),
			count: add(name+"_count", metrics.Counter, metrics.Default),
		}
	}
	registered := &k6Metrics{
		ttft: both("ttft"), gap: both("gap"), tpot: both("tpot"), e2e: both("e2e"), startLag: both("start_lag"),
		tokens: add("tokens", metrics.Counter, metrics.Default),
		events: add("stream_events", metrics.Counter, metrics.Default),
		good:   add("good", metrics.Counter, metrics.Default),
	}
	return registered, firstErr
}

// batch collects the samples of one request.
type batch struct {
	samples []metrics.Sample
	tags    *metrics.TagSet
	meta    map[string]string
	at      time.Time
}

func (b *batch) add(metric *metrics.Metric, value float64) {
	b.samples = append(b.samples, metrics.Sample{
		TimeSeries: metrics.TimeSeries{Metric: metric, Tags: b.tags}, Time: b.at, Value: value, Metadata: b.meta,
	})
}

func (b *batch) addTime(t twin, ns int64) {
	if ns != record.None {
		b.add(t.trend, clock.Ms(ns))
		b.add(t.count, 1)
	}
}

// addGaps costs a sample for each gap, and k6 keeps every one: only where somebody asks for them.
func (b *batch) addGaps(t twin, gaps []int64) {
	for _, gap := range gaps {
		b.add(t.trend, clock.Ms(gap))
	}
	if len(gaps) > 0 {
		b.add(t.count, float64(len(gaps)))
	}
}
