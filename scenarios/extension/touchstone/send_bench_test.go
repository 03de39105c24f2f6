package touchstone

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib"
)

// cannedStream responds to every request with the same stream, without a network.
type cannedStream string

func (c cannedStream) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: 200, Proto: "HTTP/1.1", ProtoMajor: 1, Body: io.NopCloser(strings.NewReader(string(c))),
		Header: http.Header{"Content-Type": {"text/event-stream"}, "X-Request-Id": {"req-1"}, "Date": {"Mon, 02 Jan 2006 15:04:05 GMT"}},
	}, nil
}

// BenchmarkSend measures the work of a request outside the connection: a script builds it, and the extension reads,
// measures and records a stream of 100 events.
func BenchmarkSend(b *testing.B) {
	head := `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1750000000,"model":"vendora-v4-flash","choices":[{"index":0,"delta":`
	body := head + `{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n" +
		strings.Repeat(head+`{"content":" a token"},"finish_reason":null}]}`+"\n\n", 100) +
		head + `{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	v := newVU(b, newProcess()).start(func(s *lib.State) { s.Transport = cannedStream(body) })
	go func() {
		for range v.samples {
		}
	}()
	v.run(b, `const headers = { 'content-type': 'application/json', authorization: 'Bearer none' }
		function post() {
			const outcome = touchstone.send({ operation: 'chat-stream', method: 'POST', url: 'http://127.0.0.1/v1/chat/completions',
				headers, body: '{}', model: 'm', stream: { tokenPerEvent: true } })
			if (!outcome.isOk || outcome.contentEvents === 0 || outcome.violations.length > 0) throw new Error(JSON.stringify(outcome))
		}`)
	post, _ := sobek.AssertFunction(v.VU.Runtime().Get("post"))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := post(sobek.Undefined()); err != nil {
			b.Fatal(err)
		}
	}
}
