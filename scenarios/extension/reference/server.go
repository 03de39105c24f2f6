// Package reference implements the reference server of a calibration, which records when it wrote each event of a
// stream. It shares no code with the rest of the module, because its record is the reference for measuring the
// extension.
package reference

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Streams describes the streams that a server sends. Each delay is a random value between two bounds, in milliseconds.
type Streams struct {
	FirstMs [2]float64 `json:"firstMs"`
	ITLMs   [2]float64 `json:"itlMs"`
	Tokens  int        `json:"tokens"`
}

// response is the record of one response: the times just before the write of each event, in milliseconds since the
// request was read.
type response struct {
	RequestID string    `json:"requestId"`
	WrittenMs []float64 `json:"writtenMs"`
}

type server struct {
	streams Streams
	mutex   sync.Mutex
	count   int
	record  []response
}

// Serve starts a reference server on a free port of 127.0.0.1, prints its URL, and serves requests until the standard
// input is closed. The argument is a JSON object of the type Streams.
func Serve(argument string) error {
	s := &server{record: []response{}}
	if err := json.Unmarshal([]byte(argument), &s.streams); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/chat/completions", s.stream)
	mux.HandleFunc("/record", s.writeRecord)
	fmt.Printf("http://%s\n", listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = listener.Close()
	}()
	_ = (&http.Server{Handler: mux, ConnContext: withConn}).Serve(stampedListener{listener})
	return nil
}

const head = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1750000000,"model":"reference","choices":[{"index":0,"delta":`

const (
	role    = head + `{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n"
	content = head + `{"content":" token"},"finish_reason":null}]}` + "\n\n"
	finish  = head + `{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
)

func (s *server) stream(w http.ResponseWriter, r *http.Request) {
	began := r.Context().Value(connKey{}).(*stampedConn).readAt.Load()
	s.mutex.Lock()
	s.count++
	record := response{RequestID: strconv.Itoa(s.count)}
	s.mutex.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Request-Id", record.RequestID)
	due := between(s.streams.FirstMs)
	for index := range s.streams.Tokens {
		text, events := content, 1
		if index == 0 {
			text, events = role+text, events+1
		}
		if index == s.streams.Tokens-1 {
			text, events = text+finish, events+2
		}
		time.Sleep(due - time.Since(*began))
		writtenMs := float64(time.Since(*began)) / 1e6
		for range events {
			record.WrittenMs = append(record.WrittenMs, writtenMs)
		}
		_, _ = io.WriteString(w, text)
		w.(http.Flusher).Flush()
		due += between(s.streams.ITLMs)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.record = append(s.record, record)
}

func (s *server) writeRecord(w http.ResponseWriter, _ *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	_ = json.NewEncoder(w).Encode(s.record)
}

func between(boundsMs [2]float64) time.Duration {
	return time.Duration((boundsMs[0] + (boundsMs[1]-boundsMs[0])*rand.Float64()) * 1e6)
}

// stampedListener accepts connections that record when they were last read. A request arrives when its bytes are read,
// before they are parsed.
type stampedListener struct{ net.Listener }

func (l stampedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &stampedConn{Conn: conn}, nil
}

type stampedConn struct {
	net.Conn
	readAt atomic.Pointer[time.Time]
}

func (c *stampedConn) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	now := time.Now()
	c.readAt.Store(&now)
	return n, err
}

type connKey struct{}

func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}
