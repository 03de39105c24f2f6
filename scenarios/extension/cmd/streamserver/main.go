// Command streamserver serves streams, and records when it received each request and wrote each event. It shares no
// code with the rest of the module, because its record is the reference for measuring the extension.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

type server struct {
	mutex  sync.Mutex
	count  int
	record []*responseRecord
}

func main() {
	s := &server{}
	http.HandleFunc("/paced", s.paced)
	http.HandleFunc("/whole", s.whole)
	http.HandleFunc("/flushed", s.flushed)
	http.HandleFunc("/record", s.writeRecord)
	urls := make([]any, 3)
	for index, protocol := range []string{"http1", "tls", "http2"} {
		url, err := serve(protocol)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		urls[index] = url
	}
	fmt.Printf("ready at %s %s %s\n", urls...)
	select {}
}

// paced writes the first token after firstMs to 2 × firstMs, and each further token 0.5 to 1.5 × itlMs later, so that
// streams that start together diverge. It records the times. The parameter shape names the content.
func (s *server) paced(w http.ResponseWriter, r *http.Request) {
	record := connOf(r).begin()
	record.RequestID = s.begin(w)
	s.mutex.Lock()
	s.record = append(s.record, record)
	record.shape = shapeOf(r.URL.Query().Get("shape"), number(r, "events"), len(s.record))
	s.mutex.Unlock()
	due := record.ArrivedMs[1] + random(number(r, "firstMs"), 1, 2)
	begin := chunkOf(`{"role":"assistant","content":""}`, "")
	for _, event := range record.Events {
		time.Sleep(time.Duration((due - nowMs()) * 1e6))
		_, _ = w.Write([]byte(begin + event.data))
		w.(http.Flusher).Flush()
		begin = ""
		due += random(number(r, "itlMs"), 0.5, 1.5)
	}
	_, _ = w.Write([]byte(record.end))
}

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

// writeRecord returns and clears the record. Callers must wait until all responses have ended.
func (s *server) writeRecord(w http.ResponseWriter, _ *http.Request) {
	_, _ = w.Write(s.takeRecord())
}

func (s *server) takeRecord() []byte {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	logMutex.Lock()
	defer logMutex.Unlock()
	encoded, err := json.Marshal(s.record)
	if err != nil {
		panic(err) // cannot happen: records contain only numbers and strings
	}
	s.record = nil
	return encoded
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

func random(ms int, low, high float64) float64 {
	return float64(ms) * (low + (high-low)*rand.Float64())
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
