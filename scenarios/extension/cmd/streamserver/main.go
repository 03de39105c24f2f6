// Command streamserver serves streams and records when it wrote each event. It shares no code with the rest of the module, because its
// record is the reference for measuring the rest.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// written is the record of one response: the times just before each event was written to the socket, in ms after the request arrived.
type written struct {
	RequestID string    `json:"requestId"`
	AtMs      []float64 `json:"atMs"`
}

type server struct {
	mutex  sync.Mutex
	count  int
	record []written
}

func main() {
	s := &server{}
	http.HandleFunc("/paced", s.paced)
	http.HandleFunc("/whole", s.whole)
	http.HandleFunc("/flushed", s.flushed)
	http.HandleFunc("/record", s.writeRecord)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("ready at http://%s\n", listener.Addr())
	_ = (&http.Server{ConnContext: withConn}).Serve(stampedListener{listener})
}

// paced writes the first event after firstMs to 2 × firstMs, and the others 0.5 to 1.5 × gapMs apart. Streams that
// start together therefore do not stay in step. It records the times.
func (s *server) paced(w http.ResponseWriter, r *http.Request) {
	began := arrivedAt(r)
	id, all := s.begin(w), events(number(r, "events"))
	record := written{RequestID: id}
	due := between(number(r, "firstMs"), 1, 2)
	for _, event := range all {
		time.Sleep(due - time.Since(began))
		record.AtMs = append(record.AtMs, float64(time.Since(began))/1e6)
		_, _ = w.Write([]byte(event))
		w.(http.Flusher).Flush()
		due += between(number(r, "gapMs"), 0.5, 1.5)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.record = append(s.record, record)
}

// whole writes all events in one write.
func (s *server) whole(w http.ResponseWriter, r *http.Request) {
	s.begin(w)
	_, _ = w.Write([]byte(strings.Join(events(number(r, "events")), "")))
}

// flushed writes and flushes each event separately, without delays.
func (s *server) flushed(w http.ResponseWriter, r *http.Request) {
	s.begin(w)
	for _, event := range events(number(r, "events")) {
		_, _ = w.Write([]byte(event))
		w.(http.Flusher).Flush()
	}
}

// writeRecord returns the record and clears it.
func (s *server) writeRecord(w http.ResponseWriter, _ *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	_ = json.NewEncoder(w).Encode(s.record)
	s.record = nil
}

func (s *server) begin(w http.ResponseWriter) string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.count++
	id := strconv.Itoa(s.count)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Request-Id", id)
	return id
}

// between returns a random duration from low × ms to high × ms milliseconds.
func between(ms int, low, high float64) time.Duration {
	return time.Duration(float64(ms) * (low + (high-low)*rand.Float64()) * 1e6)
}

func number(r *http.Request, name string) int {
	value, _ := strconv.Atoi(r.URL.Query().Get(name))
	return value
}

const head = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1750000000,"model":"vendora-v4-flash","choices":[{"index":0,"delta":`

var words = strings.Fields("a stream of words that are as long as tokens of a model tend to be, some with \\n and “quotes”")

var (
	made  = map[int][]string{}
	mutex sync.Mutex
)

// events returns the events of a chat with a number of tokens.
func events(tokens int) []string {
	mutex.Lock()
	defer mutex.Unlock()
	if all := made[tokens]; all != nil {
		return all
	}
	all := []string{head + `{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n"}
	for index := range tokens {
		all = append(all, head+`{"content":" `+words[index%len(words)]+`"},"finish_reason":null}]}`+"\n\n")
	}
	all = append(all, head+`{},"finish_reason":"stop"}]}`+"\n\n", "data: [DONE]\n\n")
	made[tokens] = all
	return all
}
