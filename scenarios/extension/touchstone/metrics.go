package touchstone

import (
	"strings"
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"touchstone/k6/clock"
	"touchstone/k6/record"
)

// k6Metrics are ours. Each trend has a counter by its side: k6 lets a threshold on a trend without samples pass.
type k6Metrics struct {
	ttft, gap, tpot, e2e, startLag trendWithCount
	tokens, events, good           *metrics.Metric
}

type trendWithCount struct{ trend, count *metrics.Metric }

func registerMetrics(registry *metrics.Registry) (*k6Metrics, error) {
	var firstErr error
	add := func(name string, kind metrics.MetricType, holds metrics.ValueType) *metrics.Metric {
		metric, err := registry.NewMetric(name, kind, holds)
		if err != nil && firstErr == nil {
			firstErr = err
		}
		return metric
	}
	both := func(name string) trendWithCount {
		return trendWithCount{
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

func (b *batch) addTime(t trendWithCount, ns int64) {
	if ns != record.None {
		b.add(t.trend, clock.Ms(ns))
		b.add(t.count, 1)
	}
}

// addGaps counts gaps; each by itself only where somebody asks for them: k6 takes a fifth more time for a stream of 100
// events then, and keeps every value until the end.
func (b *batch) addGaps(t trendWithCount, gaps []int64, isEach bool) {
	if isEach {
		for _, gap := range gaps {
			b.add(t.trend, clock.Ms(gap))
		}
	}
	if len(gaps) > 0 {
		b.add(t.count, float64(len(gaps)))
	}
}

// needsGaps: a setting does, and a threshold of k6's own on gaps does.
func (p *process) needsGaps(state *lib.State) bool {
	p.gapsOnce.Do(func() {
		p.hasGapTrend = p.settings.GapTrend
		for name := range state.Options.Thresholds {
			p.hasGapTrend = p.hasGapTrend || name == "gap" || strings.HasPrefix(name, "gap{")
		}
	})
	return p.hasGapTrend
}
