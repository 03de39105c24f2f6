package touchstone

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"touchstone/k6/record"
)

// Rejects a login page, a health check, and the result of a different operation, each with status 200.
func TestRejectsBodiesOfAnotherShape(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", r.URL.Query().Get("type"))
		_, _ = io.WriteString(w, r.URL.Query().Get("body"))
	}))
	defer server.Close()
	const html, page = "text/html", "<!doctype html><title>Sign in</title>"
	const json, events = "application/json", "text/event-stream"
	nested := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	for _, c := range []struct {
		operation, more, mediaType, body string
		isExpected                       bool
	}{
		{"chat-stream", "stream: {}", html, page, false},
		{"chat-stream", "stream: {}", events, "", false},
		{"chat-stream", "stream: {}", events, "data: [DONE]\n\n", false},
		{"chat-stream", "stream: {}", events, "data: " + page + "\n\n", false},
		{"chat-stream", "stream: {}", json, `{"choices":[]}`, false},
		{"chat-stream", "stream: {}", events, "data: {\"text\":\"a\"}\n\ndata: [DONE]\n\n", true},
		{"chat", "", html, page, false},
		{"chat", "", json, "", false},
		{"chat", "", json, `{"status":"ok"}`, false},
		{"chat", "", json, `{"choices":"none"}`, false},
		{"chat", "", json, `{"choices":[]`, false},
		{"chat", "", json, `{"choices":` + nested + `}`, false},
		{"chat", "", json, `{"choices":[]}`, true},
		{"models", "", json, `[]`, false},
		{"models", "", json, `{"data":[]}`, true},
		{"images", "", json, `{"created":1}`, false},
		{"images", "", json, `{"data":[]}`, true},
		{"transcriptions", "", json, `{"text":null}`, false},
		{"transcriptions", "", json, `{"text":""}`, true},
		{"speech", "", "audio/mpeg", "", false},
		{"speech", "", html, page, false},
		{"speech", "", json, `{"error":"none"}`, false},
		{"speech", "", "audio/mpeg", "ID3", true},
	} {
		v := newVU(t, newProcess()).start(nil)
		query := url.Values{"type": {c.mediaType}, "body": {c.body}}
		code := fmt.Sprintf("var o = touchstone.send({operation: '%s', method: 'POST', url: '%s/?%s', body: '{}', %s})", c.operation, server.URL, query.Encode(), c.more)
		v.run(t, code)
		want := map[bool]string{true: `[200,true,null]`, false: `[200,false,"unexpected-body"]`}[c.isExpected]
		if got := v.run(t, "JSON.stringify([o.status, o.isOk, o.error])"); got != want {
			t.Errorf("%s, %s %q: %s", c.operation, c.mediaType, c.body, got)
		}
		counts := resultOf(t, v).Operations[c.operation].Counts
		if want := map[bool]record.Counts{true: {Sent: 1, OK: 1, Good: 1}, false: {Sent: 1, Failed: 1}}[c.isExpected]; counts != want {
			t.Errorf("%s, %s %q: %+v", c.operation, c.mediaType, c.body, counts)
		}
	}
}
