// Package chunk finds out what one event of a stream of chat says.
package chunk

import (
	"bytes"
	"math"
	"strings"

	"github.com/tidwall/gjson"
)

// DefaultPath is where common streams have their text.
const DefaultPath = "choices.0.delta.content"

// WholePath is the path of a stream whose events are their text: bare, or as a JSON string.
const WholePath = "."

// Usage is what a stream says of its own tokens.
type Usage struct{ Prompt, Completion int64 }

// Chunk is what one event says. Absent strings are empty.
type Chunk struct {
	IsJSON     bool
	IsError    bool
	HasChoices bool
	HasContent bool // some text that is not empty
	ID         string
	Role       string
	Finish     string
	Usage      *Usage
}

// Reader reads the chunks of one stream. Most differ from the one before in their text alone; it remembers what stands
// around that text, and compares: the rest then says the same, without reading it again.
type Reader struct {
	path   string
	last   Chunk
	before []byte
	after  []byte
	text   []byte // with escapes resolved, of the last chunk
	raw    []byte
	isBare bool // raw has no escapes
}

// Reset makes the reader ready for another stream.
func (r *Reader) Reset(path string) {
	if path == "" {
		path = DefaultPath
	}
	*r = Reader{path: path, before: r.before[:0], after: r.after[:0], text: r.text[:0]}
}

// Read says what an event's data is, and whether all but its text is as in the one before. Valid until the next call.
func (r *Reader) Read(data []byte) (chunk *Chunk, isRepeat bool) {
	if r.readRepeat(data) {
		return &r.last, true
	}
	r.before = r.before[:0]
	r.raw, r.isBare = nil, false
	r.last = Chunk{IsJSON: gjson.ValidBytes(data)}
	if r.last.IsJSON {
		r.readWhole(data)
	}
	if r.path == WholePath {
		r.readData(data)
	}
	return &r.last, false
}

// Text of the last chunk.
func (r *Reader) Text() []byte {
	if r.isBare || bytes.IndexByte(r.raw, '\\') < 0 {
		return r.raw
	}
	r.text = append(r.text[:0], gjson.Parse(`"`+string(r.raw)+`"`).Str...)
	return r.text
}

func (r *Reader) readRepeat(data []byte) bool {
	if len(r.before) == 0 || !bytes.HasPrefix(data, r.before) || !bytes.HasSuffix(data, r.after) {
		return false
	}
	end := len(data) - len(r.after)
	if end < len(r.before) {
		return false
	}
	raw := data[len(r.before):end]
	if !isPlain(raw) {
		return false
	}
	r.raw = raw
	r.last.HasContent = len(raw) > 0
	return true
}

// isPlain tells text that can stand between quotes as it is. Escapes are left to the parser.
func isPlain(raw []byte) bool {
	for _, c := range raw {
		if c == '"' || c == '\\' || c < ' ' {
			return false
		}
	}
	return true
}

func (r *Reader) readWhole(data []byte) {
	root := gjson.ParseBytes(data)
	if !root.IsObject() {
		return
	}
	root.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "id":
			r.last.ID = strings.Clone(value.Str)
		case "error":
			r.last.IsError = value.Type != gjson.Null
		case "choices":
			r.readChoice(value.Get("0"))
		case "usage":
			r.readUsage(value)
		}
		return true
	})
	r.readContent(data)
}

func (r *Reader) readChoice(choice gjson.Result) {
	if !choice.IsObject() {
		return
	}
	r.last.HasChoices = true
	r.last.Role = strings.Clone(choice.Get("delta.role").Str)
	r.last.Finish = strings.Clone(choice.Get("finish_reason").Str)
}

func (r *Reader) readUsage(usage gjson.Result) {
	if !usage.IsObject() {
		return
	}
	if read := ReadUsage(usage); read != nil {
		r.last.Usage = read
	}
}

// ReadUsage gives what an object says of tokens; nil where it says nothing, or what nobody can have used.
func ReadUsage(usage gjson.Result) *Usage {
	completion, prompt := usage.Get("completion_tokens"), usage.Get("prompt_tokens")
	if !isCount(completion) || (prompt.Exists() && !isCount(prompt)) {
		return nil
	}
	return &Usage{Prompt: prompt.Int(), Completion: completion.Int()}
}

// maxTokens is more than any answer has, and so little that sums of it are exact.
const maxTokens = 1e9

func isCount(value gjson.Result) bool {
	return value.Type == gjson.Number && value.Num >= 0 && value.Num <= maxTokens && value.Num == math.Trunc(value.Num)
}

// readData takes an event as text, but for what is a structure.
func (r *Reader) readData(data []byte) {
	value := gjson.ParseBytes(data)
	switch {
	case r.last.IsJSON && value.Type == gjson.JSON:
		return
	case r.last.IsJSON && value.Type == gjson.String:
		r.raw = []byte(value.Raw[1 : len(value.Raw)-1])
	default:
		r.raw, r.isBare = bytes.Clone(data), true
	}
	r.last.HasContent = len(r.raw) > 0
}

func (r *Reader) readContent(data []byte) {
	content := gjson.GetBytes(data, r.path)
	if content.Type != gjson.String || len(content.Raw) < 2 {
		return
	}
	r.last.HasContent = content.Str != ""
	r.raw = []byte(content.Raw[1 : len(content.Raw)-1])
	first, end := content.Index+1, content.Index+len(content.Raw)-1
	// An index of 0 says that the text is not part of the data, as with a path that computes something.
	if content.Index > 0 && end < len(data) && bytes.Equal(data[first:end], r.raw) {
		r.before = append(r.before[:0], data[:first]...)
		r.after = append(r.after[:0], data[end:]...)
	}
}
