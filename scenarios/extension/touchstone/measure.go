package touchstone

import (
	"encoding/json"

	"github.com/tidwall/gjson"
	"go.k6.io/k6/v2/lib/netext/httpext"

	"touchstone/k6/chunk"
	"touchstone/k6/exchange"
	"touchstone/k6/record"
	"touchstone/k6/stream"
	"touchstone/k6/streamcheck"
)

// measured contains the sample, the tokens and the text of a completed request.
type measured struct {
	sample record.Sample
	events int64
	tokens int64  // completion tokens
	text   string // content of the response; for streams only if requests have IDs
}

func measure(r *request, a *exchange.Result, trail *httpext.Trail, reader *stream.Reader) *measured {
	m := &measured{sample: record.Sample{
		Operation: r.operation, IsWarmUp: r.isWarmUp, Model: r.model, Status: a.Status(), Verdict: verdict(r, a),
		TTFT: record.None, TextTTFT: record.None, TPOT: record.None, E2E: a.EndNs - a.StartNs, StartLag: record.None, IsStream: a.IsStream,
		Blocked: a.StartNs - a.CalledNs, Connecting: record.None, TLS: record.None,
		IsBounded: a.IsBounded, E2EBounds: a.End.Since(a.Start),
	}}
	m.readConnection(trail)
	if a.Response != nil {
		m.sample.Date, m.sample.SentNs, m.sample.HeadersNs = a.Response.Header.Get("Date"), a.StartNs, a.HeadersNs
	}
	if a.Failure != exchange.Aborted {
		m.sample.Failure = string(a.Failure)
	}
	if r.turn != nil {
		// Exclude the time to open the connection, because this is work of the target, not of the load generator.
		m.sample.StartLag = a.StartNs - r.turn.dueNs - max(0, m.sample.Connecting) - max(0, m.sample.TLS)
	}
	switch {
	case a.IsStream:
		m.readStream(a, reader)
	case a.Failure == exchange.None && a.Status() <= 299:
		m.readBody(r, a)
	}
	m.tokens = m.sample.TokenEvents
	if m.sample.HasUsage {
		m.tokens = m.sample.Completion
	}
	if m.sample.IsServed() && !hasExpectedBody(r, a, reader) {
		a.Failure, m.sample.Failure, m.sample.Verdict = exchange.UnexpectedBody, string(exchange.UnexpectedBody), record.Failed
	}
	return m
}

// readConnection reads how long it took to open the connection, if the request opened one.
func (m *measured) readConnection(trail *httpext.Trail) {
	s := &m.sample
	if trail.ConnReused || trail.Connecting <= 0 {
		return
	}
	s.Connecting = int64(trail.Connecting)
	s.Blocked = max(0, s.Blocked-s.Connecting)
	if trail.TLSHandshaking > 0 {
		s.TLS = int64(trail.TLSHandshaking)
		s.Blocked = max(0, s.Blocked-s.TLS)
	}
}

func verdict(r *request, a *exchange.Result) record.Verdict {
	switch {
	case a.Failure == exchange.Aborted, a.Failure == exchange.Stopped:
		return record.Aborted
	case a.Failure == exchange.None && r.expects(a.Status()):
		return record.OK
	}
	return record.Failed
}

func (m *measured) readStream(a *exchange.Result, reader *stream.Reader) {
	s := &m.sample
	m.events, m.text = reader.Events, string(reader.Text)
	s.TokenEvents = int64(len(reader.TokenTimes))
	if s.TokenEvents > 0 {
		s.TTFT, s.TTFTBounds = reader.TokenTimes[0]-a.StartNs, reader.Token(0).Since(a.Start)
		s.ITLs, s.ITLBounds = reader.ITLs(), reader.ITLBounds()
	}
	if first := reader.FirstText; first >= 0 {
		s.TextTTFT, s.TextTTFTBounds = reader.TokenTimes[first]-a.StartNs, reader.Token(first).Since(a.Start)
	}
	if tokens := reader.IntervalTokens(); tokens > 0 {
		last := len(reader.TokenTimes) - 1
		s.TPOT = int64(float64(reader.TokenTimes[last]-reader.TokenTimes[0]) / tokens)
		s.TPOTBounds = reader.Token(last).Since(reader.Token(0)).Divide(tokens)
	}
	s.IsCutByLength = reader.Finish == "length"
	if reader.Usage != nil {
		s.HasUsage, s.Prompt, s.Completion = true, reader.Usage.Prompt, reader.Usage.Completion
	}
	s.Violations = reader.Checker.End(a.Failure == exchange.None)
}

// readBody reads usage and content from a response that is not a stream. It skips a body that was too long to be kept
// whole.
func (m *measured) readBody(r *request, a *exchange.Result) {
	if r.stream != nil {
		m.sample.Violations = []streamcheck.Violation{{Kind: "not-a-stream", Sentence: "the request asked for a stream, but the response is JSON"}}
	}
	if len(a.Body) == 0 || int64(len(a.Body)) < a.Bytes || !json.Valid(a.Body) {
		return
	}
	m.text = gjson.GetBytes(a.Body, "choices.0.message.content").Str
	if usage := chunk.ReadUsage(gjson.GetBytes(a.Body, "usage")); usage != nil {
		m.sample.HasUsage, m.sample.Prompt, m.sample.Completion = true, usage.Prompt, usage.Completion
	}
}
