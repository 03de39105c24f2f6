package stream

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"touchstone/k6/clock"
)

const validStream = `data: {"id":"c","choices":[{"delta":{"role":"assistant","content":""},"finish_reason":null}]}

data: {"id":"c","choices":[{"delta":{"content":"one"},"finish_reason":null}]}

data: {"id":"c","choices":[{"delta":{"content":" \"two\""},"finish_reason":null}]}

data: {"id":"c","choices":[{"delta":{"content":" three"},"finish_reason":null}]}

data: {"id":"c","choices":[{"delta":{},"finish_reason":"stop"}]}

data: {"id":"c","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3}}

data: [DONE]

`

// now is a source whose bytes arrive at the moment at which they are read.
type now struct{}

func (now) Received(n int, _ bool) (int, clock.Bounds) {
	return n, clock.Exactly(clock.Now())
}

// batches is a source that returns given bounds for each read.
type batches struct {
	arrivals []clock.Bounds
	partial  []bool
}

func (b *batches) Received(n int, isPartial bool) (int, clock.Bounds) {
	b.partial = append(b.partial, isPartial)
	return n, b.arrivals[len(b.partial)-1]
}

// Two events that arrive in one read have the same upper bound. The first event may have arrived long before the
// second.
func TestBoundsTheTimesOfEventsThatWereReadTogether(t *testing.T) {
	pieces := strings.SplitAfter(validStream, "\n\n")
	body := io.MultiReader(
		strings.NewReader(pieces[0]+pieces[1]),
		strings.NewReader(pieces[2]+pieces[3]),
		strings.NewReader(strings.Join(pieces[4:], "")),
	)
	late := clock.Bounds{Low: 110, High: 150}
	source := &batches{arrivals: []clock.Bounds{clock.Exactly(100), late, clock.Exactly(170), clock.Exactly(170)}}
	r := NewReader()
	r.Reset(Options{})
	end, err := r.Read(body, source)
	if err != nil || end != clock.Exactly(170) {
		t.Errorf("%v, %v", end, err)
	}
	if want := []clock.Bounds{{Low: 10, High: 50}, {Low: 0, High: 40}}; !slices.Equal(r.ITLBounds(), want) || !slices.Equal(r.ITLs(), []int64{50, 0}) {
		t.Errorf("%v, %v", r.ITLBounds(), r.ITLs())
	}
	if ttft := r.Token(0).Since(clock.Bounds{Low: 20, High: 35}); ttft != (clock.Bounds{Low: 65, High: 80}) {
		t.Errorf("%v", ttft)
	}
	if slices.Contains(source.partial, true) {
		t.Error("a read did not fill the buffer")
	}
}

// bytewise is a source whose bytes arrive one by one, and are read together.
type bytewise struct{ ns int64 }

func (b *bytewise) Received(n int, _ bool) (int, clock.Bounds) {
	b.ns++
	return min(n, 1), clock.Exactly(b.ns)
}

func TestEventsOfOneReadHaveTheTimesOfTheirLastBytes(t *testing.T) {
	r := NewReader()
	r.Reset(Options{KeepTimes: true})
	if _, err := r.Read(strings.NewReader(validStream), &bytewise{}); err != nil {
		t.Fatal(err)
	}
	var want []int64
	for index := range validStream {
		if strings.HasSuffix(validStream[:index+1], "\n\n") {
			want = append(want, int64(index+1))
		}
	}
	if !slices.Equal(r.Times, want) || r.ITLBounds() != nil {
		t.Errorf("%v, not %v", r.Times, want)
	}
}

func TestExactTimesHaveNoITLBounds(t *testing.T) {
	r := NewReader()
	r.Reset(Options{})
	if _, err := r.Read(iotest.OneByteReader(strings.NewReader(validStream)), now{}); err != nil || r.ITLBounds() != nil {
		t.Errorf("%v, %v", r.ITLBounds(), err)
	}
}

func TestReportsAReadThatFilledTheBuffer(t *testing.T) {
	r := NewReader()
	r.Reset(Options{})
	source := &batches{arrivals: make([]clock.Bounds, 9)}
	if _, err := r.Read(strings.NewReader(strings.Repeat(validStream, 40)), source); err != nil || !source.partial[0] {
		t.Errorf("%v, %v", source.partial, err)
	}
}

func TestReadsAStream(t *testing.T) {
	for name, body := range map[string]io.Reader{
		"at once":  strings.NewReader(validStream),
		"by bytes": iotest.OneByteReader(strings.NewReader(validStream)),
		"with EOF": iotest.DataErrReader(strings.NewReader(validStream)),
	} {
		r := NewReader()
		r.Reset(Options{KeepText: true, KeepTimes: true})
		end, err := r.Read(body, now{})
		if err != nil || end.High > clock.Now() {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Events != 7 || len(r.TokenTimes) != 3 || !slices.Equal(r.TokenAt, []int64{1, 2, 3}) {
			t.Errorf("%s: %d events, %d contents at %v", name, r.Events, len(r.TokenTimes), r.TokenAt)
		}
		if string(r.Text) != `one "two" three` || r.Finish != "stop" || r.Usage == nil || r.Usage.Completion != 3 {
			t.Errorf("%s: %q, %q, %v", name, r.Text, r.Finish, r.Usage)
		}
		if r.Bytes != int64(len(validStream)) || len(r.Times) != 7 {
			t.Errorf("%s: %d bytes, %d times", name, r.Bytes, len(r.Times))
		}
		if found := r.Checker.End(true); found != nil {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// The time of each event must be the time of the read that completed the event.
func TestRecordsTimeOfEachEvent(t *testing.T) {
	reader, writer := io.Pipe()
	var sentNs []int64
	go func() {
		for _, piece := range strings.SplitAfter(validStream, "\n\n") {
			sentNs = append(sentNs, clock.Now())
			_, _ = writer.Write([]byte(piece))
		}
		_ = writer.Close()
	}()
	r := NewReader()
	r.Reset(Options{KeepTimes: true})
	if _, err := r.Read(reader, now{}); err != nil {
		t.Fatal(err)
	}
	for index, at := range r.Times {
		// Write returns as soon as the bytes are read. Two writes later, the reader has certainly read the clock.
		if at < sentNs[index] || (index+2 < len(sentNs) && at > sentNs[index+2]) {
			t.Errorf("event %d, sent at %d, was seen at %d: %v", index, sentNs[index], at, sentNs)
		}
	}
	if itls := r.ITLs(); len(itls) != 2 || itls[0] != r.Times[2]-r.Times[1] || itls[1] != r.Times[3]-r.Times[2] {
		t.Errorf("%v of %v", itls, r.Times)
	}
}

func TestAbortsAfterTokenEvents(t *testing.T) {
	r := NewReader()
	r.Reset(Options{AbortAfter: 2, KeepText: true})
	if _, err := r.Read(strings.NewReader(validStream), now{}); !errors.Is(err, ErrAborted) {
		t.Fatal(err)
	}
	if len(r.TokenTimes) != 2 || string(r.Text) != `one "two"` {
		t.Errorf("%d, %q", len(r.TokenTimes), r.Text)
	}
}

// deltas builds a stream of deltas, and of a chunk with usage unless usage is empty.
func deltas(usage string, all ...string) string {
	body := ""
	for _, delta := range all {
		body += `data: {"id":"c","choices":[{"delta":{` + delta + `}}]}` + "\n\n"
	}
	if usage != "" {
		body += `data: {"id":"c","choices":[],"usage":{` + usage + `}}` + "\n\n"
	}
	return body + "data: [DONE]\n\n"
}

// withUsage builds an event with text and the usage so far.
func withUsage(text string, tokens int) string {
	return fmt.Sprintf(`data: {"id":"c","choices":[{"delta":{"content":"%s"}}],"usage":{"completion_tokens":%d}}`+"\n\n", text, tokens)
}

func TestCountsTokensOfTheInterval(t *testing.T) {
	const role, text, reasoning, heartbeat = `"role":"assistant","content":""`, `"content":"a b c"`, `"reasoning_content":"a"`, ``
	for name, c := range map[string]struct {
		body            string
		tokens          float64
		events          int
		firstText       int
		hasShownThought bool
	}{
		"text":               {deltas(`"completion_tokens":3`, role, text, text, text), 2, 3, 0, false},
		"several in a chunk": {deltas(`"completion_tokens":9`, role, text, text, text), 6, 3, 0, false},
		"without usage":      {deltas("", role, text, text), 0, 2, 0, false},
		"one event":          {deltas(`"completion_tokens":9`, role, text), 0, 1, 0, false},
		"no event":           {deltas(`"completion_tokens":0`, role), 0, 0, -1, false},
		"heartbeats":         {deltas(`"completion_tokens":2`, role, heartbeat, text, heartbeat, role, text) + ": ping\n\n", 1, 2, 0, false},
		"shown reasoning": {deltas(`"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":2}`, role, reasoning, reasoning, text, text, text),
			4, 5, 2, true},
		"hidden reasoning": {deltas(`"completion_tokens":50,"completion_tokens_details":{"reasoning_tokens":47}`, role, text, text, text), 2, 3, 0, false},
		"only reasoning":   {deltas(`"completion_tokens":2,"completion_tokens_details":{"reasoning_tokens":2}`, role, reasoning, reasoning), 1, 2, -1, true},
		"only tool calls": {deltas(`"completion_tokens":7`, role, `"tool_calls":[{"function":{"name":"f"}}]`, `"tool_calls":[{"function":{"arguments":"{}"}}]`),
			3.5, 2, -1, false},
		"cumulative usage":          {withUsage("a b c", 3) + withUsage("d e", 5) + withUsage("f", 6), 3, 3, 0, false},
		"a placeholder for usage":   {withUsage("a", 0) + withUsage("b", 0) + withUsage("c", 3), 2, 3, 0, false},
		"usage below its beginning": {withUsage("a", 5) + withUsage("b", 1), 0, 2, 0, false},
	} {
		r := NewReader()
		r.Reset(Options{})
		if _, err := r.Read(strings.NewReader(c.body), now{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.IntervalTokens() != c.tokens || len(r.TokenTimes) != c.events || r.FirstText != c.firstText || r.HasReasoning != c.hasShownThought {
			t.Errorf("%s: %v tokens in the interval, %d events, first text %d, reasoning %v", name, r.IntervalTokens(), len(r.TokenTimes), r.FirstText, r.HasReasoning)
		}
	}
}

// repeat returns an endless stream.
func repeat(text string) io.Reader { return &repeated{text: text} }

type repeated struct{ text, rest string }

func (r *repeated) Read(into []byte) (int, error) {
	if r.rest == "" {
		r.rest = strings.Repeat(r.text, 100)
	}
	n := copy(into, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func contentEvent(text string) string {
	return `data: {"id":"c","choices":[{"delta":{"content":"` + text + `"}}]}` + "\n\n"
}

func TestReportsStreamErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		body io.Reader
		most int64
		want error
	}{
		{strings.NewReader(validStream), 50, ErrTooLarge},
		{strings.NewReader(validStream), int64(len(validStream)), nil},
		{io.MultiReader(strings.NewReader(validStream[:300]), iotest.ErrReader(broken)), 0, broken},
		{strings.NewReader("data: {\"error\":{\"message\":\"x\"}}\n\n"), 0, ErrEvent},
		{strings.NewReader("event: error\ndata: {}\n\n"), 0, ErrEvent},
		{repeat("data: a"), 0, ErrTooLarge},
		{repeat("data: a\n"), 0, ErrTooLarge},
		{repeat("data: a\n\n"), 0, ErrTooLarge},
		{repeat(contentEvent("a")), 0, ErrTooLarge},
		{repeat(contentEvent(strings.Repeat("a", 1000))), 0, ErrTooLarge},
	} {
		r := NewReader()
		r.Reset(Options{MaxBytes: c.most, KeepText: true})
		if _, err := r.Read(c.body, now{}); !errors.Is(err, c.want) {
			t.Errorf("%v, not %v", err, c.want)
		}
	}
}

func TestReportsNoViolationOfAnErrorEvent(t *testing.T) {
	for _, event := range []string{"data: {\"error\":{\"message\":\"x\"}}\n\n", "event: error\ndata: upstream failed\n\n"} {
		r := NewReader()
		r.Reset(Options{})
		body := "data: {\"id\":\"c\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"a\"}}]}\n\n" + event
		if _, err := r.Read(strings.NewReader(body), now{}); !errors.Is(err, ErrEvent) {
			t.Errorf("%q: %v", event, err)
		}
		if found := r.Checker.End(false); len(found) > 0 {
			t.Errorf("%q: %v", event, found)
		}
	}
}

func TestResetDiscardsEarlierStream(t *testing.T) {
	r := NewReader()
	r.Reset(Options{KeepText: true, KeepTimes: true, AbortAfter: 2})
	_, _ = r.Read(strings.NewReader(validStream), now{})
	r.Reset(Options{})
	if _, err := r.Read(strings.NewReader("data: x\n\n"), now{}); err != nil {
		t.Fatal(err)
	}
	if r.FirstText != -1 || r.Usage != nil || r.Events != 1 || len(r.TokenTimes)+len(r.Text)+len(r.Times)+len(r.TokenAt) != 0 || r.Finish != "" {
		t.Errorf("%+v", r)
	}
	if found := r.Checker.End(true); len(found) != 2 || found[0].Kind != "not-json" || found[1].Kind != "done-missing" {
		t.Errorf("%v", found)
	}
}

// describe reads a stream with a buffer of this size, and describes the result.
func describe(body string, size int) string {
	r := NewReader()
	r.buffer = make([]byte, size)
	r.Reset(Options{KeepText: true, KeepTimes: true})
	_, err := r.Read(strings.NewReader(body), &batches{arrivals: make([]clock.Bounds, len(body)+1)})
	return fmt.Sprint(r.Events, r.HasChunk, r.TokenAt, len(r.Times), string(r.Text), r.Finish, r.Checker.End(err == nil), err)
}

// A stream has the same events however its bytes arrive.
func FuzzRead(f *testing.F) {
	f.Add(validStream, 7)
	f.Add(contentEvent("a")+contentEvent(`b\u00e9"`)+"data: [DONE]\n\n", 16)
	f.Add("event: error\r\ndata: {}\r\n\r\n", 1)
	f.Add("\xEF\xBB\xBF"+contentEvent("a")+contentEvent("a")[1:], 64)
	f.Fuzz(func(t *testing.T, body string, size int) {
		if size < 1 || size > 16*1024 {
			return
		}
		if got, want := describe(body, size), describe(body, len(body)+1); got != want {
			t.Fatalf("%q in reads of %d bytes: %s, not %s", body, size, got, want)
		}
	})
}
