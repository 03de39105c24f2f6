package touchstone

import (
	"net/http"
	"strings"

	"touchstone/k6/clock"
	"touchstone/k6/exchange"
	"touchstone/k6/record"
	"touchstone/k6/stream"
)

// shownBytes is the maximum length of a body that send() returns to a script.
const shownBytes = 64 * 1024

// outcome is the return value of send(). Nullable fields have the type any.
type outcome struct {
	Status        int               `js:"status"`
	IsOK          bool              `js:"isOk"`
	Error         any               `js:"error"`
	Headers       map[string]string `js:"headers"`
	Body          any               `js:"body"`
	Bytes         int64             `js:"bytes"`
	TTFTMs        any               `js:"ttftMs"`
	E2EMs         float64           `js:"e2eMs"`
	Events        int64             `js:"events"`
	ContentEvents int64             `js:"contentEvents"`
	Usage         any               `js:"usage"`
	FinishReason  any               `js:"finishReason"`
	Violations    []string          `js:"violations"`
	Kept          []kept            `js:"kept"`
}

type usage struct {
	PromptTokens     int64 `js:"promptTokens"`
	CompletionTokens int64 `js:"completionTokens"`
}

type kept struct {
	AtMs float64 `js:"atMs"`
	Data string  `js:"data"`
}

func newOutcome(r *request, a *exchange.Result, reader *stream.Reader, m *measured) *outcome {
	s := &m.sample
	o := &outcome{
		Status: s.Status, IsOK: s.Verdict == record.OK, Bytes: a.Bytes, E2EMs: clock.Ms(s.E2E),
		Events: m.events, ContentEvents: s.Contents, Violations: []string{},
	}
	if a.Failure != exchange.None {
		o.Error = string(a.Failure)
	}
	if a.Response != nil {
		o.Headers = lowerCase(a.Response.Header)
	}
	if a.IsText {
		o.Body = strings.ToValidUTF8(string(a.Body[:min(len(a.Body), shownBytes)]), "\uFFFD")
	}
	if s.TTFT != record.None {
		o.TTFTMs = clock.Ms(s.TTFT)
	}
	if s.HasUsage {
		o.Usage = &usage{s.Prompt, s.Completion}
	}
	if m.finish != "" {
		o.FinishReason = m.finish
	}
	for _, v := range s.Violations {
		o.Violations = append(o.Violations, v.Sentence)
	}
	if a.IsStream && r.stream.KeepEvents {
		for _, event := range reader.Kept {
			o.Kept = append(o.Kept, kept{clock.Ms(event.AtNs - a.StartNs), event.Data})
		}
	}
	return o
}

func lowerCase(header http.Header) map[string]string {
	all := make(map[string]string, len(header))
	for name, values := range header {
		all[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return all
}
