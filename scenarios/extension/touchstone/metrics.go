package touchstone

import (
	"strings"
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/netext/httpext"
	"go.k6.io/k6/v2/metrics"

	"touchstone/k6/clock"
	"touchstone/k6/record"
)

// k6Metrics are the k6 metrics of this extension. Each trend has a counter of its samples, with which a script can
// detect a trend without samples: k6 treats thresholds on such a trend as met.
type k6Metrics struct {
	ttft, textTTFT, itl, tpot, e2e, startLag trendWithCount
	tokens, events, good                     *metrics.Metric
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
		ttft: both("ttft"), textTTFT: both("text_ttft"), itl: both("itl"), tpot: both("tpot"), e2e: both("e2e"), startLag: both("start_lag"),
		tokens: add("tokens", metrics.Counter, metrics.Default),
		events: add("stream_events", metrics.Counter, metrics.Default),
		good:   add("good", metrics.Counter, metrics.Default),
	}
	return registered, firstErr
}

// batch collects the k6 samples of one request.
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

// addRequest adds the samples of k6's own metrics of a request. Trail.SaveSamples would add most of them, but to a slice
// without room for the samples of this extension.
func (b *batch) addRequest(builtin *metrics.BuiltinMetrics, trail *httpext.Trail) {
	b.add(builtin.HTTPReqs, 1)
	b.add(builtin.HTTPReqDuration, metrics.D(trail.Duration))
	b.add(builtin.HTTPReqBlocked, metrics.D(trail.Blocked))
	b.add(builtin.HTTPReqConnecting, metrics.D(trail.Connecting))
	b.add(builtin.HTTPReqTLSHandshaking, metrics.D(trail.TLSHandshaking))
	b.add(builtin.HTTPReqSending, metrics.D(trail.Sending))
	b.add(builtin.HTTPReqWaiting, metrics.D(trail.Waiting))
	b.add(builtin.HTTPReqReceiving, metrics.D(trail.Receiving))
	b.add(builtin.HTTPReqFailed, metrics.B(trail.Failed.Bool))
}

func (b *batch) addTime(t trendWithCount, ns int64) {
	if ns != record.None {
		b.add(t.trend, clock.Ms(ns))
		b.add(t.count, 1)
	}
}

// addITLs counts inter-token latencies. It adds each as a sample only if isEach is true. k6 needs a fifth more CPU time for the
// individual samples of a stream with 100 events, and keeps every value until the end.
func (b *batch) addITLs(t trendWithCount, itls []int64, isEach bool) {
	if isEach {
		for _, itl := range itls {
			b.add(t.trend, clock.Ms(itl))
		}
	}
	if len(itls) > 0 {
		b.add(t.count, float64(len(itls)))
	}
}

// needsITLs reports whether k6 needs every inter-token latency, because of a k6 threshold on itl.
func (p *process) needsITLs(state *lib.State) bool {
	p.itlsOnce.Do(func() {
		for name := range state.Options.Thresholds {
			p.hasITLTrend = p.hasITLTrend || name == "itl" || strings.HasPrefix(name, "itl{")
		}
	})
	return p.hasITLTrend
}
