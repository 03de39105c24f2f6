package record

import (
	"encoding/json"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"touchstone/k6/arrivals"
	"touchstone/k6/clock"
)

func TestSeries(t *testing.T) {
	var s series
	s.at(0, 1).requests++
	s.at(0, 0).end(sample(func(s *Sample) { s.TTFT = 5 * ms }))
	s.at(1, 1).requests++
	s.at(1, 2).requests++
	// Seconds 2 and 3 have no requests, but the series contains them.
	s.at(4, 1).end(sample(func(s *Sample) { s.Verdict = Failed }))
	s.at(4, 0).end(sample(func(s *Sample) { s.Verdict = Aborted }))
	got := s.results()
	want := []SecondResult{
		{AtS: 0, Requests: 1, OK: 1, InFlight: 0, ended: 1},
		{AtS: 1, Requests: 2, InFlight: 2},
		{AtS: 2, InFlight: 2},
		{AtS: 3, InFlight: 2},
		{AtS: 4, Failed: 1, InFlight: 0, ended: 2},
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	ttft, err := hdrhistogram.Decode([]byte(*got[0].TTFT))
	if err != nil || ttft.TotalCount() != 1 || ttft.Max() < 5000 {
		t.Errorf("%v, %v", ttft, err)
	}
	got[0].TTFT = nil
	for index := range want {
		if got[index] != want[index] {
			t.Errorf("%+v, not %+v", got[index], want[index])
		}
	}
	if s.endedIn(0) != 1 || s.endedIn(3) != 0 || s.endedIn(4) != 2 || s.endedIn(9) != 0 {
		t.Error("the rate is of other seconds")
	}
}

func TestProgressSumsOperations(t *testing.T) {
	r := New(nil, clock.Now())
	for _, operation := range []string{"chat", "chat-stream", "chat-stream"} {
		r.Begin(operation)
		if operation == "chat" {
			continue
		}
		r.End(sample(func(*Sample) {}))
	}
	got := r.Progress()
	if got.Sent != 3 || got.OK != 2 || got.InFlight != 1 || *got.TTFTP50Ms < 10 || *got.TTFTP50Ms > 10.1 {
		t.Errorf("%+v", got)
	}
	if got.Tokens["m"] != (Tokens{Responses: 2, Completion: 6, Estimated: 2}) {
		t.Errorf("%+v", got.Tokens)
	}
}

func TestEmptyResultHasNoNulls(t *testing.T) {
	encoded, err := json.Marshal(New(nil, 0).Result(arrivals.Segment{Index: 1, Count: 4}, nil, true))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(encoded, &got); err != nil {
		t.Fatal(err)
	}
	for name, value := range got {
		if value == nil && name != "plan" {
			t.Errorf("%s is null in %s", name, encoded)
		}
	}
}

// A reader of the standard output may end, and a file system may be full.
func TestLinesReportsTheFirstErrorAndContinues(t *testing.T) {
	lines, err := OpenLines("/dev/full")
	if err != nil {
		t.Skip(err)
	}
	if err := lines.Flush(); err != nil {
		t.Errorf("an empty buffer: %v", err)
	}
	lines.Write(map[string]int{"a": 1})
	for range 2 {
		if err := lines.Flush(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%v", err)
		}
		lines.Write(strings.Repeat("x", 100_000))
	}
}

func TestOpenLinesRejectsInvalidPaths(t *testing.T) {
	for _, path := range []string{t.TempDir(), t.TempDir() + "/no/such"} {
		if _, err := OpenLines(path); err == nil {
			t.Errorf("%s was opened", path)
		}
	}
}
