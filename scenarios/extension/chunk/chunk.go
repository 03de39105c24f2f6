// Package chunk parses the events of a chat stream.
package chunk

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"
)

// maxNameBytes is the maximum length of an ID, a role or a finish reason. Longer ones are cut, because violations quote
// them.
const maxNameBytes = 256

// Usage contains the token counts that a response reports. Reasoning is the part of Completion that its details name.
type Usage struct{ Prompt, Completion, Reasoning int64 }

// Chunk is the content of one event. Absent strings are empty.
type Chunk struct {
	IsJSON       bool
	IsError      bool // the event reports an error: a member `error`, or the type "error"
	HasChoices   bool
	HasContent   bool // the text is not empty
	HasReasoning bool // the chunk shows reasoning
	HasToken     bool // a channel is not empty: text, reasoning, a refusal or a tool call
	ID           string
	Role         string
	Finish       string
	Usage        *Usage
}

// Reader parses the chunks of one stream. Most chunks differ from the previous one only in one string: their text or
// their reasoning. The reader keeps the bytes around that string. If they are equal in the next chunk, it does not parse
// the JSON again.
type Reader struct {
	last   Chunk
	before []byte // bytes before the string; empty if they are not known
	after  []byte // bytes after the string
	text   []byte // text of the last chunk, with escapes resolved
	raw    []byte

	channels    int          // channels of the parsed chunk that are not empty
	reasoning   gjson.Result // the reasoning of the parsed chunk
	isReasoning bool         // the string between before and after is reasoning
}

// Reset prepares the reader for the next stream.
func (r *Reader) Reset() {
	*r = Reader{before: r.before[:0], after: r.after[:0], text: r.text[:0]}
}

// Read parses the data of an event. It also reports whether the event differs from the previous one only in its text or
// its reasoning.
// The chunk is valid until the next call.
func (r *Reader) Read(data []byte) (chunk *Chunk, isRepeat bool) {
	if r.readRepeat(data) {
		return &r.last, true
	}
	r.before = r.before[:0]
	r.raw = nil
	r.channels, r.reasoning, r.isReasoning = 0, gjson.Result{}, false
	// gjson would exhaust the stack if a value is nested millions of times.
	r.last = Chunk{IsJSON: json.Valid(data)}
	if r.last.IsJSON {
		r.readWhole(data)
	}
	return &r.last, false
}

// Text returns the text of the last chunk.
func (r *Reader) Text() []byte {
	if bytes.IndexByte(r.raw, '\\') < 0 {
		return r.raw
	}
	r.text = append(r.text[:0], gjson.Parse(`"`+string(r.raw)+`"`).Str...)
	return r.text
}

func (r *Reader) readRepeat(data []byte) bool {
	if len(r.before) == 0 {
		return false
	}
	if !bytes.HasPrefix(data, r.before) {
		return false
	}
	rest := data[len(r.before):]
	length := textLength(rest)
	if length < 0 || !bytes.Equal(rest[length:], r.after) {
		return false
	}
	r.last.HasToken = length > 0
	if r.isReasoning {
		r.last.HasReasoning = length > 0
		return true
	}
	r.raw = rest[:length]
	r.last.HasContent = length > 0
	return true
}

// textLength returns the length of the text of a JSON string (RFC 8259, section 7) before its closing quote, or -1 if
// the text is invalid or not complete.
func textLength(from []byte) int {
	for index := 0; index < len(from); index++ {
		switch c := from[index]; {
		case c == '"':
			return index
		case c < ' ':
			return -1
		case c == '\\':
			escape := escapeLength(from[index:])
			if escape == 0 {
				return -1
			}
			index += escape - 1
		}
	}
	return -1
}

// escapeLength returns the number of bytes of the escape sequence at the start of raw, or 0 if it is not valid.
func escapeLength(raw []byte) int {
	if len(raw) < 2 {
		return 0
	}
	switch raw[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(raw) >= 6 && isHex(raw[2]) && isHex(raw[3]) && isHex(raw[4]) && isHex(raw[5]) {
			return 6
		}
	}
	return 0
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func (r *Reader) readWhole(data []byte) {
	root := gjson.Parse(unsafe.String(unsafe.SliceData(data), len(data))) // does not keep any part of it
	if !root.IsObject() {
		return
	}
	var content gjson.Result
	root.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "id":
			r.last.ID = name(value)
		case "error":
			r.last.IsError = r.last.IsError || value.IsObject() || value.Str != ""
		case "type":
			r.last.IsError = r.last.IsError || value.Str == "error"
		case "choices":
			content = r.readChoice(value.Get("0"))
		case "usage":
			r.readUsage(value)
		}
		return true
	})
	r.readContent(data, content)
}

// readChoice reads the first choice, and returns the text of its delta.
func (r *Reader) readChoice(choice gjson.Result) (content gjson.Result) {
	if !choice.IsObject() {
		return content
	}
	r.last.HasChoices = true
	choice.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "finish_reason":
			r.last.Finish = name(value)
		case "delta":
			content = r.readDelta(value)
		}
		return true
	})
	return content
}

func (r *Reader) readDelta(delta gjson.Result) (content gjson.Result) {
	if !delta.IsObject() {
		return content
	}
	delta.ForEach(func(key, value gjson.Result) bool {
		isUsed := value.Str != ""
		switch key.Str {
		case "role":
			r.last.Role, isUsed = name(value), false
		case "content":
			content = value
			isUsed = isUsed || r.readParts(value)
		case "reasoning_content", "reasoning":
			if isUsed {
				r.reasoning, r.last.HasReasoning = value, true
			}
		case "refusal":
		case "tool_calls", "function_call":
			isUsed = isCalling(value)
		default:
			isUsed = false
		}
		if isUsed {
			r.channels++
		}
		return true
	})
	return content
}

// readParts reads content that is a list of parts with text or reasoning, and reports whether a part has a token. It does
// not keep the text.
func (r *Reader) readParts(content gjson.Result) (hasToken bool) {
	if !content.IsArray() {
		return false
	}
	content.ForEach(func(_, part gjson.Result) bool {
		r.last.HasContent = r.last.HasContent || part.Get("text").Str != ""
		r.last.HasReasoning = r.last.HasReasoning || part.Get("thinking.0.text").Str != ""
		return true
	})
	return r.last.HasContent || r.last.HasReasoning
}

// isCalling reports whether a delta of a function call, or of a list of tool calls, has a part of a name or of arguments.
func isCalling(value gjson.Result) (is bool) {
	if value.IsArray() {
		value.ForEach(func(_, call gjson.Result) bool {
			is = isCalling(call.Get("function"))
			return !is
		})
		return is
	}
	return value.Get("name").Str != "" || value.Get("arguments").Str != ""
}

// name returns a copy of a short string.
func name(value gjson.Result) string {
	return strings.Clone(value.Str[:min(len(value.Str), maxNameBytes)])
}

func (r *Reader) readUsage(usage gjson.Result) {
	if !usage.IsObject() {
		return
	}
	if read := ReadUsage(usage); read != nil {
		r.last.Usage = read
	}
}

// ReadUsage parses a usage object. It returns nil unless completion_tokens is a valid count, and prompt_tokens is one
// or is absent.
func ReadUsage(usage gjson.Result) *Usage {
	completion, prompt := usage.Get("completion_tokens"), usage.Get("prompt_tokens")
	if !isCount(completion) || (prompt.Exists() && !isCount(prompt)) {
		return nil
	}
	read := &Usage{Prompt: prompt.Int(), Completion: completion.Int()}
	if reasoning := usage.Get("completion_tokens_details.reasoning_tokens"); isCount(reasoning) {
		read.Reasoning = min(reasoning.Int(), read.Completion)
	}
	return read
}

// maxTokens is greater than the token count of any response, and small enough for exact sums.
const maxTokens = 1e9

func isCount(value gjson.Result) bool {
	return value.Type == gjson.Number && value.Num >= 0 && value.Num <= maxTokens && value.Num == math.Trunc(value.Num)
}

// readContent reads the text. If only one string of the chunk has a token, it keeps the bytes around this string for
// readRepeat.
func (r *Reader) readContent(data []byte, content gjson.Result) {
	if content.Type == gjson.String && len(content.Raw) >= 2 {
		r.last.HasContent = content.Str != ""
		r.raw = []byte(content.Raw[1 : len(content.Raw)-1])
	}
	r.last.HasToken = r.channels > 0 || r.last.HasContent
	if r.channels > 1 || r.channels == 1 && !r.last.HasContent && !r.last.HasReasoning {
		return
	}
	only := content
	if r.last.HasReasoning && !r.last.HasContent {
		only, r.isReasoning = r.reasoning, true
	}
	if only.Type != gjson.String || len(only.Raw) < 2 {
		return
	}
	first, end := only.Index+1, only.Index+len(only.Raw)-1
	if end >= len(data) || string(data[first:end]) != only.Raw[1:len(only.Raw)-1] {
		return
	}
	r.before = append(r.before[:0], data[:first]...)
	r.after = append(r.after[:0], data[end:]...)
}
