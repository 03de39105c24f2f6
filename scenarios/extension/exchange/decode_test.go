package exchange

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"touchstone/k6/stream"
	"touchstone/k6/wire"
)

// Both events are in one HTTP chunk, which net/http reads as a whole.
func TestCompressedEventsKeepTheirArrivals(t *testing.T) {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	var ends []int
	for range 2 {
		_, _ = writer.Write([]byte(`data: {"choices":[{"index":0,"delta":{"content":"word"}}]}` + "\n\n"))
		_ = writer.Flush()
		ends = append(ends, packed.Len())
	}
	_ = writer.Close()
	hasRead := make(chan struct{})
	address, _ := rawServer(t, func(c net.Conn) {
		head := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
		_, _ = fmt.Fprintf(c, "%s%x\r\n%s", head, packed.Len(), packed.Bytes()[:ends[0]])
		<-hasRead
		_, _ = fmt.Fprintf(c, "%s\r\n0\r\n\r\n", packed.Bytes()[ends[0]:])
	})
	transport := &http.Transport{}
	wire.Instrument(transport)
	defer transport.CloseIdleConnections()
	Send(context.Background(), transport, request(t, "POST", address)) // rawServer responds to the first request itself
	r := request(t, "POST", address)
	r.Stream = stream.NewReader()
	r.Stream.Reset(stream.Options{})
	var conn atomic.Pointer[wire.Conn]
	r.Trace = &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { conn.Store(wire.Find(info.Conn)) }}
	go func() {
		defer close(hasRead)
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if c := conn.Load(); c != nil && c.FirstWrite().Low > 0 && c.LastByte().High > c.FirstWrite().Low {
				return
			}
		}
	}()
	result := Send(context.Background(), transport, r)
	if result.Failure != None || len(r.Stream.TokenTimes) != 2 {
		t.Fatalf("%q (%v), %d events", result.Failure, result.Err, len(r.Stream.TokenTimes))
	}
	if first, second := r.Stream.Token(0), r.Stream.Token(1); first.High >= second.High {
		t.Errorf("the first event arrived at %v, the second at %v", first, second)
	}
}

// A compressed body must be read like the gzip package reads it, also if it is damaged.
func FuzzDecode(f *testing.F) {
	pack := func(text string) []byte {
		var packed bytes.Buffer
		writer := gzip.NewWriter(&packed)
		_, _ = io.WriteString(writer, text)
		_ = writer.Close()
		return packed.Bytes()
	}
	whole := pack("a body that is compressed")
	for _, body := range [][]byte{whole, whole[:12], append(slices.Clone(whole), whole...), append(slices.Clone(whole), 'x'), pack(""), nil} {
		f.Add(body)
	}
	const maxBytes = 1 << 16
	f.Fuzz(func(t *testing.T, body []byte) {
		transport := gzipped(body)
		r := request(t, "GET", "http://nowhere")
		r.MaxBytes = maxBytes
		result := Send(context.Background(), transport, r)
		var want []byte
		reader, err := gzip.NewReader(bytes.NewReader(body))
		if err == nil {
			want, err = io.ReadAll(io.LimitReader(reader, maxBytes+1))
		}
		if len(want) > maxBytes {
			if result.Failure != TooLarge {
				t.Fatalf("%q for %d bytes", result.Failure, len(want))
			}
			return
		}
		// An empty body has no gzip header.
		if isWhole := result.Failure == None; isWhole != (err == nil || len(body) == 0) || !bytes.Equal(result.Body, want) {
			t.Fatalf("%q: %q, not %q: %v", result.Failure, result.Body, want, err)
		}
	})
}

type gzipped []byte

func (g gzipped) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: 200, Header: http.Header{"Content-Encoding": {"gzip"}}, Body: io.NopCloser(bytes.NewReader(g)),
	}, nil
}
