package touchstone

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib/netext/httpext"

	"touchstone/k6/exchange"
	"touchstone/k6/form"
	"touchstone/k6/spending"
	"touchstone/k6/stream"
)

const (
	defaultTimeout  = 60 * time.Second
	defaultMaxBytes = 64 << 20
)

// request is the argument of send().
type request struct {
	http      exchange.Request
	cleanURL  string
	id        string // value of X-Client-Request-Id; empty if requests are not identified
	operation string
	isWarmUp  bool
	model     string
	cost      spending.Cost
	heldUnits int64 // units held for this request
	stream    *stream.Options
	turn      *turn
	expected  []int
}

// fields reads the properties of a JavaScript object.
type fields struct {
	rt     *sobek.Runtime
	object *sobek.Object
}

func (f fields) get(name string) sobek.Value {
	value := f.object.Get(name)
	if value == nil || sobek.IsUndefined(value) || sobek.IsNull(value) {
		return nil
	}
	return value
}

func (f fields) text(name string) string {
	if value := f.get(name); value != nil {
		return value.String()
	}
	return ""
}

func (f fields) integer(name string, fallback int64) int64 {
	if value := f.get(name); value != nil {
		return value.ToInteger()
	}
	return fallback
}

func (f fields) isTrue(name string) bool {
	value := f.get(name)
	return value != nil && value.ToBoolean()
}

func (f fields) inside(name string) (fields, bool) {
	value := f.get(name)
	if value == nil {
		return fields{}, false
	}
	return fields{f.rt, value.ToObject(f.rt)}, true
}

func (f fields) texts(name string) map[string]string {
	inside, ok := f.inside(name)
	if !ok {
		return nil
	}
	all := map[string]string{}
	for _, key := range inside.object.Keys() {
		all[key] = inside.object.Get(key).String()
	}
	return all
}

func readRequest(f fields) (*request, error) {
	r := &request{
		operation: f.text("operation"), isWarmUp: f.isTrue("isWarmUp"), model: f.text("model"),
	}
	if r.operation == "" {
		return nil, errors.New("send() needs an operation")
	}
	target, err := url.Parse(f.text("url"))
	if err != nil || target.Host == "" {
		return nil, fmt.Errorf("send() needs an absolute URL, not %q", f.text("url"))
	}
	r.cleanURL = cleanURL(target)
	r.http = exchange.Request{
		Method:   strings.ToUpper(f.text("method")),
		URL:      target,
		Header:   http.Header{},
		Timeout:  time.Duration(f.integer("timeoutMs", int64(defaultTimeout/time.Millisecond))) * time.Millisecond,
		MaxBytes: f.integer("maxBytes", defaultMaxBytes),
	}
	if headers, ok := f.inside("headers"); ok {
		for _, name := range headers.object.GetOwnPropertyNames() {
			r.http.Header.Set(name, headers.object.Get(name).String())
		}
	}
	if value := f.get("expectedStatuses"); value != nil {
		if err := f.rt.ExportTo(value, &r.expected); err != nil {
			return nil, fmt.Errorf("expectedStatuses: %w", err)
		}
	}
	if value := f.get("turn"); value != nil {
		r.turn, _ = value.Export().(*turn)
	}
	if cost, ok := f.inside("cost"); ok {
		r.cost = spending.Cost{
			UnitsPerToken: cost.integer("unitsPerToken", 0), MaxTokens: cost.integer("maxTokens", 0),
		}
	}
	r.readStream(f)
	return r, r.readBody(f)
}

// cleanURL returns a URL with masked credentials, for a tag.
func cleanURL(address *url.URL) string {
	if address.User == nil {
		return address.String()
	}
	parsed, err := httpext.NewURL(address.String(), address.String())
	if err != nil {
		return address.Redacted()
	}
	return parsed.Clean()
}

func (r *request) readStream(f fields) {
	inside, ok := f.inside("stream")
	if !ok {
		return
	}
	r.stream = &stream.Options{
		AbortAfter: inside.integer("abortAfterEvents", 0),
		MaxBytes:   r.http.MaxBytes,
	}
}

func (r *request) readBody(f fields) error {
	value := f.get("body")
	if value == nil {
		return nil
	}
	if _, isObject := value.(*sobek.Object); !isObject {
		text := value.String()
		r.http.BodyBytes = int64(len(text))
		r.http.Body = func() io.ReadCloser { return io.NopCloser(strings.NewReader(text)) }
		return nil
	}
	inside, _ := f.inside("body")
	file, ok := inside.inside("file")
	if !ok {
		return errors.New("a body must be a string, or a form with a file")
	}
	handle, ok := file.object.Get("handle").Export().(*fileHandle)
	if !ok {
		return errors.New("the file of a form must be a handle returned by file()")
	}
	written, err := form.New(inside.texts("fields"), form.File{
		Field: file.text("field"), Name: file.text("name"), Type: file.text("type"), Content: handle.content,
	})
	if err != nil {
		return err
	}
	r.http.Header.Set("Content-Type", written.ContentType)
	r.http.Body, r.http.BodyBytes = written.Open, written.Bytes
	return nil
}

func (r *request) expects(status int) bool {
	if r.expected == nil {
		return status >= 200 && status <= 299
	}
	return slices.Contains(r.expected, status)
}
