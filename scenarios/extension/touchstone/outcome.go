package touchstone

import (
	"net/http"
	"slices"
	"strings"

	"github.com/grafana/sobek"

	"touchstone/k6/exchange"
	"touchstone/k6/record"
)

// shownBytes is the maximum length of a body that send() returns to a script.
const shownBytes = exchange.KeptErrorBytes

// outcome is the return value of send(). It converts a property when a script reads it, because most scripts read few
// of them.
type outcome struct {
	rt       *sobek.Runtime
	result   *exchange.Result
	measured *measured
}

type usage struct {
	PromptTokens     int64 `js:"promptTokens"`
	CompletionTokens int64 `js:"completionTokens"`
}

func newOutcome(rt *sobek.Runtime, a *exchange.Result, m *measured) *sobek.Object {
	return rt.NewDynamicObject(&outcome{rt: rt, result: a, measured: m})
}

var outcomeKeys = []string{
	"status", "isOk", "error", "headers", "body", "bytes", "events", "tokenEvents", "usage", "violations",
}

// Get returns the value of a property, or nil for an unknown name.
func (o *outcome) Get(name string) sobek.Value {
	s := &o.measured.sample
	switch name {
	case "status":
		return o.rt.ToValue(s.Status)
	case "isOk":
		return o.rt.ToValue(s.Verdict == record.OK)
	case "error":
		if o.result.Failure == exchange.None {
			return sobek.Null()
		}
		return o.rt.ToValue(string(o.result.Failure))
	case "headers":
		return o.rt.ToValue(o.headers())
	case "body":
		return o.body()
	case "bytes":
		return o.rt.ToValue(o.result.Bytes)
	case "events":
		return o.rt.ToValue(o.measured.events)
	case "tokenEvents":
		return o.rt.ToValue(s.TokenEvents)
	case "usage":
		if !s.HasUsage {
			return sobek.Null()
		}
		return o.rt.ToValue(&usage{s.Prompt, s.Completion})
	case "violations":
		return o.violations()
	}
	return nil
}

// Has reports whether a property exists.
func (o *outcome) Has(name string) bool { return slices.Contains(outcomeKeys, name) }

// Keys returns the names of all properties.
func (o *outcome) Keys() []string { return outcomeKeys }

// Set rejects a new value: outcomes are read-only.
func (o *outcome) Set(string, sobek.Value) bool { return false }

// Delete only succeeds for a property that does not exist.
func (o *outcome) Delete(name string) bool { return !o.Has(name) }

func (o *outcome) headers() map[string]string {
	if o.result.Response == nil {
		return nil
	}
	return lowerCase(o.result.Response.Header)
}

func (o *outcome) body() sobek.Value {
	a := o.result
	if !a.IsText {
		return sobek.Null()
	}
	return o.rt.ToValue(strings.ToValidUTF8(string(a.Body[:min(len(a.Body), shownBytes)]), "\uFFFD"))
}

func (o *outcome) violations() sobek.Value {
	sentences := []any{}
	for _, v := range o.measured.sample.Violations {
		sentences = append(sentences, v.Sentence)
	}
	return o.rt.NewArray(sentences...)
}

func lowerCase(header http.Header) map[string]string {
	all := make(map[string]string, len(header))
	for name, values := range header {
		all[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return all
}
