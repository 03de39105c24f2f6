// Package stream reads an event stream, and records when each event arrived.
package stream

import (
	"errors"
	"io"
	"slices"

	"touchstone/k6/chunk"
	"touchstone/k6/clock"
	"touchstone/k6/sse"
	"touchstone/k6/streamcheck"
)

var (
	// ErrAborted means that the stream was aborted after the requested number of token events.
	ErrAborted = errors.New("left")
	// ErrTooLarge means that the body, a line, an event, the kept text or the number of events exceeds its limit.
	ErrTooLarge = errors.New("too large")
	// ErrEvent means that the stream contains an error event.
	ErrEvent = errors.New("error event")
)

// Limits of a stream, which exceed those of the longest completion: about 128,000 tokens of a few bytes.
const (
	maxEvents    = 1 << 18
	maxTextBytes = 4 << 20
)

// Options determine what a Reader records, and when it stops.
type Options struct {
	AbortAfter int64 // number of token events; 0: never
	KeepText   bool
	KeepTimes  bool
	MaxBytes   int64
}

// Reader reads one stream after another. Its times are instants of package clock.
type Reader struct {
	Options

	Bytes        int64
	Events       int64
	HasChunk     bool    // an event is JSON or has content
	TokenTimes   []int64 // upper bounds of the times of token events: events with a token of any channel
	TokenLows    []int64 // lower bounds of the times of token events
	FirstText    int     // index in TokenTimes of the first event with text; -1 if there is none
	HasReasoning bool    // an event shows reasoning
	Times        []int64 // times of all events; only with KeepTimes
	TokenAt      []int64 // indexes in Times of token events; only with KeepTimes
	Text         []byte  // text of all events; only with KeepText
	Finish       string
	FirstUsage   *chunk.Usage // usage in the first token event
	Usage        *chunk.Usage
	Checker      streamcheck.Checker

	parser sse.Parser
	chunks chunk.Reader
	itls   []int64
	bounds []clock.Bounds // of itls
	now    clock.Bounds
	failed error
	buffer []byte
}

// NewReader creates a reader. Reuse it, because it has large buffers.
func NewReader() *Reader {
	r := &Reader{buffer: make([]byte, 16*1024)}
	r.parser.OnEvent = r.takeEvent
	return r
}

// Reset prepares the reader for the next stream.
func (r *Reader) Reset(options Options) {
	r.Options = options
	r.Bytes, r.Events, r.HasChunk = 0, 0, false
	r.TokenTimes, r.TokenLows, r.FirstText, r.HasReasoning = r.TokenTimes[:0], r.TokenLows[:0], -1, false
	r.Times, r.TokenAt, r.Text = r.Times[:0], r.TokenAt[:0], r.Text[:0]
	r.Finish, r.FirstUsage, r.Usage, r.failed = "", nil, nil, nil
	r.Checker.Reset()
	r.parser.Reset()
	r.chunks.Reset()
}

// Source reports the times at which the bytes of a body arrived.
type Source interface {
	// Received returns the arrival of the next bytes of the body, of which n have been read, and how many of them
	// arrived then. If the last read filled its buffer (isPartial), the next read may return bytes that arrived at the
	// same time. The count is 0 only if n is 0.
	Received(n int, isPartial bool) (count int, at clock.Bounds)
}

// Read reads a body to its end, and returns the arrival of the last bytes. The time of an event is the arrival of the
// bytes that complete it.
func (r *Reader) Read(body io.Reader, source Source) (last clock.Bounds, err error) {
	for {
		n, readErr := body.Read(r.buffer)
		r.take(r.buffer[:n], source)
		if err := r.failed; err != nil {
			readErr = err
		} else if r.MaxBytes > 0 && r.Bytes > r.MaxBytes || r.parser.IsTooLong {
			readErr = ErrTooLarge
		}
		if readErr != nil {
			if readErr == io.EOF {
				readErr = nil
			}
			return r.now, readErr
		}
	}
}

// take processes the bytes of one read, in the order of their arrival.
func (r *Reader) take(bytes []byte, source Source) {
	r.Bytes += int64(len(bytes))
	for isPartial := len(bytes) == len(r.buffer); ; {
		count, at := source.Received(len(bytes), isPartial)
		r.now = at
		r.parser.Feed(bytes[:count])
		if bytes = bytes[count:]; len(bytes) == 0 {
			return
		}
	}
}

func (r *Reader) takeEvent(data, event []byte) {
	if r.failed != nil {
		return
	}
	r.countEvent()
	if string(data) == "[DONE]" {
		r.Checker.Done()
		return
	}
	c, isRepeat := r.chunks.Read(data)
	if !isRepeat && (c.IsError || string(event) == "error") {
		// An error event is not a chunk, so the checker does not expect the fields of one.
		r.failed = ErrEvent
		return
	}
	if isRepeat {
		r.Checker.Repeat(c)
	} else {
		r.Checker.Chunk(c)
		r.HasChunk = r.HasChunk || c.IsJSON || c.HasContent
		r.takeChunk(c)
	}
	if c.HasToken {
		r.takeToken(c)
	}
}

func (r *Reader) countEvent() {
	r.Events++
	if r.Events > maxEvents {
		r.failed = ErrTooLarge
	}
	if r.KeepTimes {
		r.Times = append(r.Times, r.now.High)
	}
}

func (r *Reader) takeChunk(c *chunk.Chunk) {
	if c.Finish != "" {
		r.Finish = c.Finish
	}
	if c.Usage != nil {
		r.Usage = c.Usage
	}
}

func (r *Reader) takeToken(c *chunk.Chunk) {
	if len(r.TokenTimes) == 0 {
		r.FirstUsage = c.Usage
	}
	if c.HasContent && r.FirstText < 0 {
		r.FirstText = len(r.TokenTimes)
	}
	r.HasReasoning = r.HasReasoning || c.HasReasoning
	r.TokenTimes = append(r.TokenTimes, r.now.High)
	r.TokenLows = append(r.TokenLows, r.now.Low)
	if r.KeepTimes {
		r.TokenAt = append(r.TokenAt, r.Events-1)
	}
	if r.KeepText && c.HasContent {
		r.Text = append(r.Text, r.chunks.Text()...)
		if len(r.Text) > maxTextBytes {
			r.failed = ErrTooLarge
		}
	}
	if r.AbortAfter > 0 && int64(len(r.TokenTimes)) >= r.AbortAfter {
		r.failed = ErrAborted
	}
}

// IntervalTokens returns the number of tokens that the stream generated after its first token event and up to its last.
// It is 0 if usage does not tell. Usage also counts reasoning tokens that the stream does not show: the target
// generated them before the first event. If the first event has no usage of its own, all events count as equally long.
func (r *Reader) IntervalTokens() float64 {
	events := float64(len(r.TokenTimes))
	if r.Usage == nil || events < 2 {
		return 0
	}
	if r.FirstUsage != nil && r.FirstUsage.Completion > 0 {
		return float64(max(0, r.Usage.Completion-r.FirstUsage.Completion))
	}
	hidden := r.Usage.Reasoning
	if r.HasReasoning {
		hidden = 0
	}
	return float64(max(0, r.Usage.Completion-hidden)) * (events - 1) / events
}

// Token returns the time bounds of a token event.
func (r *Reader) Token(index int) clock.Bounds {
	return clock.Bounds{Low: r.TokenLows[index], High: r.TokenTimes[index]}
}

// ITLs returns the times between token events, in nanoseconds. The slice is valid until Reset.
func (r *Reader) ITLs() []int64 {
	r.itls = r.itls[:0]
	for index := 1; index < len(r.TokenTimes); index++ {
		r.itls = append(r.itls, r.TokenTimes[index]-r.TokenTimes[index-1])
	}
	return r.itls
}

// ITLBounds returns the bounds of the ITLs, or nil if all times are exact. The slice is valid until Reset.
func (r *Reader) ITLBounds() []clock.Bounds {
	if slices.Equal(r.TokenTimes, r.TokenLows) {
		return nil
	}
	r.bounds = r.bounds[:0]
	for index := 1; index < len(r.TokenTimes); index++ {
		r.bounds = append(r.bounds, r.Token(index).Since(r.Token(index-1)))
	}
	return r.bounds
}
