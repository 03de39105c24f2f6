package touchstone

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"sync"

	"github.com/grafana/sobek"
	"github.com/tidwall/gjson"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/netext/httpext"
	"go.k6.io/k6/v2/metrics"

	"touchstone/k6/clock"
	"touchstone/k6/exchange"
	"touchstone/k6/record"
	"touchstone/k6/stream"
	"touchstone/k6/wire"
)

// readers is a pool that all VUs share, because most VUs wait for an arrival most of the time.
var readers = sync.Pool{New: func() any { return stream.NewReader() }}

func (i *instance) send(call sobek.FunctionCall) sobek.Value {
	rt := i.vu.Runtime()
	state := i.vu.State()
	if state == nil {
		common.Throw(rt, errors.New("send() cannot be called in the init context"))
	}
	r, err := readRequest(fields{rt, call.Argument(0).ToObject(rt)})
	if err != nil {
		common.Throw(rt, err)
	}
	if agent := state.Options.UserAgent; agent.Valid && r.http.Header.Get("User-Agent") == "" {
		r.http.Header.Set("User-Agent", agent.String)
	}
	if r.http.Header.Get("Accept-Encoding") == "" {
		// Without this header, the server may choose any coding, and events would have to be decompressed before they
		// can be timed.
		r.http.Header.Set("Accept-Encoding", "identity")
	}
	ctx := i.vu.Context()
	if state.RPSLimit != nil {
		if err := state.RPSLimit.Wait(ctx); err != nil {
			common.Throw(rt, err)
		}
	}
	if !i.process.hold(r) {
		i.endForSpendLimit(ctx)
		return sobek.Undefined()
	}
	return i.exchange(ctx, state, r)
}

// exchange sends a request, records it, and returns the outcome for the script.
func (i *instance) exchange(ctx context.Context, state *lib.State, r *request) *sobek.Object {
	reader := readers.Get().(*stream.Reader)
	defer readers.Put(reader)
	i.prepareEvents(r)
	if r.stream != nil {
		reader.Reset(*r.stream)
		r.http.Stream = reader
	}
	recorder := i.process.run()
	if r.isWarmUp {
		recorder.BeginWarmUp()
	} else {
		recorder.Begin(r.operation)
	}
	i.instrument(state.Transport)
	tracer := &httpext.Tracer{}
	r.http.Trace = tracer.Trace()
	result := exchange.Send(ctx, state.Transport, &r.http)
	trail := tracer.Done()

	if result.Failure == exchange.Stopped {
		i.process.recordStop()
	}
	m := measure(r, result, trail, reader)
	isGood := recorder.End(&m.sample)
	if !r.isWarmUp {
		i.push(ctx, state, r, result, trail, m, isGood)
	}
	i.writeEvents(r, result, reader, m)
	i.process.settle(r, result, m)
	return newOutcome(i.vu.Runtime(), result, m)
}

// instrument makes the VU's transport record the times of its connections.
func (i *instance) instrument(transport http.RoundTripper) {
	own, is := transport.(*http.Transport)
	if is && own != i.instrumented && own != http.DefaultTransport {
		wire.Instrument(own)
		i.instrumented = own
	}
}

// prepareEvents prepares a request for the events file, if the run writes one. It makes the reader keep the times of
// events, and gives the request an ID if the settings contain a prefix for IDs.
func (i *instance) prepareEvents(r *request) {
	if i.process.events == nil {
		return
	}
	if prefix := i.process.settings.RequestIDs; prefix != "" {
		r.id = prefix + strconv.FormatInt(i.process.requests.Add(1), 10)
		r.http.Header.Set("X-Client-Request-Id", r.id)
		if r.stream != nil {
			r.stream.KeepText = true
		}
	}
	if r.stream != nil {
		r.stream.KeepTimes = true
	}
}

func (i *instance) writeEvents(r *request, a *exchange.Result, reader *stream.Reader, m *measured) {
	if i.process.events == nil || (a.Status() != 200 && r.id == "") {
		return
	}
	line := record.Events{
		Operation: r.operation, IsWarmUp: r.isWarmUp, AtMs: []float64{}, Tokens: []int64{}, FirstText: -1, E2EMs: clock.Ms(a.EndNs - a.StartNs),
		IsComplete: a.Failure == exchange.None, ClientRequestID: r.id,
	}
	if a.Response != nil {
		if id := a.Response.Header.Get("X-Request-Id"); id != "" {
			line.RequestID = &id
		}
	}
	if r.id != "" {
		line.Status, line.CompletionID, line.HasUsage = a.Status(), completionID(a, reader), &m.sample.HasUsage
		if line.CompletionID != "" && line.IsComplete {
			text := sha256.Sum256([]byte(m.text))
			line.TextSha256 = hex.EncodeToString(text[:])
		}
	}
	if a.IsBounded {
		line.Bounds = eventBounds(a, reader)
	}
	if a.IsStream {
		line.AtMs, line.Tokens = record.Since(a.StartNs, reader.Times), append(line.Tokens, reader.TokenAt...)
		line.FirstText = reader.FirstText
	}
	i.process.events.Write(line)
}

func eventBounds(a *exchange.Result, reader *stream.Reader) *record.EventBounds {
	bounds := &record.EventBounds{
		StartMs: clock.Ms(a.Start.High - a.StartNs), TokenMs: []float64{}, E2EMs: clock.Ms(a.End.Low - a.StartNs),
	}
	if a.IsStream {
		bounds.TokenMs = record.Since(a.StartNs, reader.TokenLows)
	}
	return bounds
}

// completionID returns the ID in the body of a chat completion or in its first chunk, or "" if there is none.
func completionID(a *exchange.Result, reader *stream.Reader) string {
	if a.IsStream {
		return reader.Checker.ID()
	}
	return gjson.GetBytes(a.Body, "id").Str
}

// maxSamples is the maximum number of samples of a request, without the samples of separate ITLs.
const maxSamples = 23

// push passes all samples of a request to k6 in one container.
func (i *instance) push(
	ctx context.Context, state *lib.State, r *request, a *exchange.Result, trail *httpext.Trail, m *measured, isGood bool,
) {
	isExpected := m.sample.Verdict != record.Failed
	tags := tagsOf(state, r, a, trail, isExpected)
	trail.Tags, trail.Metadata = tags.Tags, tags.Metadata
	trail.Failed.Valid, trail.Failed.Bool = true, !isExpected
	b := &batch{samples: make([]metrics.Sample, 0, maxSamples), tags: tags.Tags, meta: tags.Metadata, at: trail.EndTime}
	b.addRequest(state.BuiltinMetrics, trail)
	s := &m.sample
	b.addTime(i.metrics.startLag, s.StartLag)
	if s.IsServed() || s.Verdict == record.Aborted {
		b.addTime(i.metrics.ttft, s.TTFT)
		b.addTime(i.metrics.textTTFT, s.TextTTFT)
		b.addITLs(i.metrics.itl, s.ITLs, i.process.needsITLs(state))
	}
	if s.IsServed() {
		b.addTime(i.metrics.tpot, s.TPOT)
		b.addTime(i.metrics.e2e, s.E2E)
	}
	if s.IsStream {
		b.add(i.metrics.events, float64(m.events))
	}
	if m.tokens > 0 {
		b.add(i.metrics.tokens, float64(m.tokens))
	}
	if isGood {
		b.add(i.metrics.good, 1)
	}
	trail.Samples = b.samples
	metrics.PushIfNotDone(ctx, state.Samples, trail)
}
