// Command streamserver answers with streams and writes down when it wrote each event. It shares no code with the rest of
// the module: what it says is what the rest is measured by.
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

// written is the record of one answer: when its events were about to be handed to the socket, since the request was there.
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
	http.HandleFunc("/record", s.tell)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("ready at http://%s\n", listener.Addr())
	_ = (&http.Server{ConnContext: withConn}).Serve(stampedListener{listener})
}

// paced writes the first event after firstMs to twice as much, and the others half a gap to one and a half apart, so that
// streams which begin together do not stay in step. It keeps a record.
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

// whole writes all events at once.
func (s *server) whole(w http.ResponseWriter, r *http.Request) {
	s.begin(w)
	_, _ = w.Write([]byte(strings.Join(events(number(r, "events")), "")))
}

// flushed writes each event by itself, without waiting.
func (s *server) flushed(w http.ResponseWriter, r *http.Request) {
	s.begin(w)
	for _, event := range events(number(r, "events")) {
		_, _ = w.Write([]byte(event))
		w.(http.Flusher).Flush()
	}
}

// tell gives the record, and forgets it.
func (s *server) tell(w http.ResponseWriter, _ *http.Request) {
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

// between gives a random time from least to most times so many milliseconds.
func between(ms int, least, most float64) time.Duration {
	return time.Duration(float64(ms) * (least + (most-least)*rand.Float64()) * 1e6)
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

// events are those of a chat with so many tokens.
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
