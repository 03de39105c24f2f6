package touchstone

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"touchstone/k6/exchange"
	"touchstone/k6/stream"
)

// hasExpectedBody reports whether a complete 2xx response is a result of the operation (sections 2.3 to 2.5, 4.1, 4.2,
// 4.5). For a login page with status 200, for example, it returns false. A stream only needs to contain a chunk, because the
// specification leaves its shape open. If a body is too long to be kept, only its beginning is checked.
func hasExpectedBody(r *request, a *exchange.Result, reader *stream.Reader) bool {
	if r.stream != nil {
		return a.IsStream && reader.HasChunk
	}
	switch r.operation {
	case "chat", "chat-stream":
		return hasMember(a, "choices", gjson.Result.IsArray)
	case "models", "images":
		return hasMember(a, "data", gjson.Result.IsArray)
	case "transcriptions":
		return hasMember(a, "text", func(text gjson.Result) bool { return text.Type == gjson.String })
	case "speech":
		return a.Bytes > 0 && (!a.IsText || a.Response.Header.Get("Content-Type") == "")
	}
	return true
}

// hasMember reports whether the body is a JSON object with this member. If the body was too long to be kept whole,
// hasMember only checks that it starts like an object.
func hasMember(a *exchange.Result, name string, isExpected func(gjson.Result) bool) bool {
	if int64(len(a.Body)) < a.Bytes && strings.HasPrefix(strings.TrimSpace(string(a.Body[:min(len(a.Body), 64)])), "{") {
		return true
	}
	return json.Valid(a.Body) && isExpected(gjson.GetBytes(a.Body, name))
}
