// Package stream reads an answer that comes as a stream of events, and notes when each of them was there.
package stream

import (
	"errors"
	"hash"
	"io"

	"touchstone/k6/chunk"
	"touchstone/k6/clock"
	"touchstone/k6/oracle"
	"touchstone/k6/sse"
)

var (
	// ErrLeft says that as many content events were read as were wanted.
	ErrLeft = errors.New("left")
	// ErrTooLarge says that there was more than the most that was allowed.
	ErrTooLarge = errors.New("too large")
	// ErrEvent says that the stream brought an error as an event.
	ErrEvent = errors.New("error event")
)

// Options say how a stream is to be read.
type Options struct {
	ContentPath   string
	AbortAfter    int64 // content events; 0: never
	KeepEvents    bool
	KeepText      bool
	KeepTimes     bool
	Hash          hash.Hash // gets the bytes as they came; nil: none
	TokenPerEvent bool
	MaxBytes      int64
}

// Kept is an event as it came.
type Kept struct {
	AtNs int64
	Data string
}

// Reader reads streams, one after the other. Times are instants of package clock.
type Reader struct {
	Options

	Bytes        int64
	Events       int64
	ContentTimes []int64
	Times        []int64 // with KeepTimes
	ContentAt    []int64 // with KeepTimes: positions in Times of events with content
	Kept         []Kept  // with KeepEvents
	Text         []byte  // with KeepText
	Finish       string
	Usage        *chunk.Usage
	Oracle       oracle.Stream

	parser sse.Parser
	chunks chunk.Reader
	gaps   []int64
	nowNs  int64
	fault  error
	buffer []byte
}

// NewReader makes a reader; it is worth keeping.
func NewReader() *Reader {
	r := &Reader{buffer: make([]byte, 16*1024)}
	r.parser.OnEvent = r.takeEvent
	return r
}

// Reset makes the reader ready for another stream.
func (r *Reader) Reset(options Options) {
	r.Options = options
	r.Bytes, r.Events = 0, 0
	r.ContentTimes, r.Times, r.ContentAt, r.Text = r.ContentTimes[:0], r.Times[:0], r.ContentAt[:0], r.Text[:0]
	r.Kept = nil
	r.Finish, r.Usage, r.fault = "", nil, nil
	r.Oracle.Reset()
	r.Oracle.TokenPerEvent = options.TokenPerEvent
	r.parser.Reset()
	r.chunks.Reset(options.ContentPath)
}

// Read reads to the end, and says when that was. An instant is taken right after bytes were handed over, and holds for
// every event that they complete.
func (r *Reader) Read(body io.Reader) (endNs int64, err error) {
	for {
		n, readErr := body.Read(r.buffer)
		r.nowNs = clock.Now()
		if n > 0 {
			r.Bytes += int64(n)
			r.parser.Feed(r.buffer[:n])
			if r.Hash != nil {
				r.Hash.Write(r.buffer[:n])
			}
		}
		switch {
		case r.fault != nil:
			return r.nowNs, r.fault
		case r.MaxBytes > 0 && r.Bytes > r.MaxBytes:
			return r.nowNs, ErrTooLarge
		case readErr == io.EOF:
			return r.nowNs, nil
		case readErr != nil:
			return r.nowNs, readErr
		}
	}
}

func (r *Reader) takeEvent(data, event []byte) {
	if r.fault != nil {
		return
	}
	r.Events++
	if r.KeepTimes {
		r.Times = append(r.Times, r.nowNs)
	}
	if r.KeepEvents {
		r.Kept = append(r.Kept, Kept{r.nowNs, text(data)})
	}
	if string(data) == "[DONE]" {
		r.Oracle.Done()
		return
	}
	c, isRepeat := r.chunks.Read(data)
	if isRepeat {
		r.Oracle.Repeat(c.HasContent)
	} else {
		r.Oracle.Chunk(c)
		r.takeChunk(c, event)
	}
	if c.HasContent {
		r.takeContent()
	}
}

func (r *Reader) takeChunk(c *chunk.Chunk, event []byte) {
	if c.IsError || string(event) == "error" {
		r.fault = ErrEvent
	}
	if c.Finish != "" {
		r.Finish = c.Finish
	}
	if c.Usage != nil {
		r.Usage = c.Usage
	}
}

func (r *Reader) takeContent() {
	r.ContentTimes = append(r.ContentTimes, r.nowNs)
	if r.KeepTimes {
		r.ContentAt = append(r.ContentAt, r.Events-1)
	}
	if r.KeepText {
		r.Text = append(r.Text, r.chunks.Text()...)
	}
	if r.AbortAfter > 0 && int64(len(r.ContentTimes)) >= r.AbortAfter {
		r.fault = ErrLeft
	}
}

// Gaps are the times between content events. Valid until the next stream.
func (r *Reader) Gaps() []int64 {
	r.gaps = r.gaps[:0]
	for index := 1; index < len(r.ContentTimes); index++ {
		r.gaps = append(r.gaps, r.ContentTimes[index]-r.ContentTimes[index-1])
	}
	return r.gaps
}
