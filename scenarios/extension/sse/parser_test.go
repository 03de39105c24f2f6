package sse

import (
	"slices"
	"strings"
	"testing"
)

// parse parses chunks, and formats each event as "type|data".
func parse(pieces ...string) []string {
	var events []string
	p := &Parser{OnEvent: func(data, event []byte) {
		events = append(events, string(event)+"|"+string(data))
	}}
	for _, piece := range pieces {
		// Overwrite the chunk after Feed, so that a parser that keeps a slice of it fails.
		buffer := []byte(piece)
		p.Feed(buffer)
		for index := range buffer {
			buffer[index] = 'X'
		}
	}
	return events
}

var cases = []struct {
	name, stream string
	want         []string
}{
	{"LF", "data: a\n\ndata: b\n\n", []string{"|a", "|b"}},
	{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"|a", "|b"}},
	{"CR", "data: a\r\rdata: b\r\r", []string{"|a", "|b"}},
	{"mixed ends of lines", "data: a\r\n\ndata: b\r\r\n\n", []string{"|a", "|b"}},
	{"a byte order mark", "\xEF\xBB\xBFdata: a\n\n", []string{"|a"}},
	{"a second byte order mark", "\xEF\xBB\xBF\xEF\xBB\xBFdata: a\n\n", nil},
	{"several lines", "data: a\ndata:\ndata: c\n\n", []string{"|a\n\nc"}},
	{"no space, and two", "data:a\n\ndata:  b\n\n", []string{"|a", "| b"}},
	{"a field without a colon", "data\n\ndata\ndata\n\n", []string{"|", "|\n"}},
	{"comments", ": one\n:\ndata: a\n:two\n\n: three\n\n", []string{"|a"}},
	{"a long comment after data", "data: a\n: longer than the line before it\n\n", []string{"|a"}},
	{"other fields", "id: 1\nretry: 5\nDATA: no\n data: no\ndata: a\n\n", []string{"|a"}},
	{"a type", "event: error\ndata: a\n\ndata: b\n\n", []string{"error|a", "|b"}},
	{"a type without data", "event: error\n\ndata: b\n\n", []string{"|b"}},
	{"an event that does not end", "data: a\n\ndata: b\n", []string{"|a"}},
	{"text of several bytes a letter", "data: “žluťoučký” 🐎\n\n", []string{"|“žluťoučký” 🐎"}},
	{"bytes that are not text", "data: a\xFFb\n\n", []string{"|a\xFFb"}},
	{"nothing", "", nil},
}

func TestParsesEvents(t *testing.T) {
	for _, c := range cases {
		if got := parse(c.stream); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}

func TestParsesChunksOfAnySize(t *testing.T) {
	for _, c := range cases {
		for first := range len(c.stream) {
			for second := first; second < len(c.stream); second++ {
				got := parse(c.stream[:first], c.stream[first:second], c.stream[second:])
				if !slices.Equal(got, c.want) {
					t.Fatalf("%s, cut at %d and %d: %q, not %q", c.name, first, second, got, c.want)
				}
			}
		}
		if got := parse(strings.Split(c.stream, "")...); !slices.Equal(got, c.want) {
			t.Errorf("%s, by letters: %q, not %q", c.name, got, c.want)
		}
	}
}

func TestEmitsEventAtTheEndOfItsLine(t *testing.T) {
	// The LF of a CRLF may arrive later. The parser must not wait for it.
	if got := parse("data: a\r\n\r"); !slices.Equal(got, []string{"|a"}) {
		t.Errorf("%q", got)
	}
}

func TestStopsAtALongLineOrEvent(t *testing.T) {
	line := "data: " + strings.Repeat("a", MaxBytes-len(dataPrefix)) + "\n"
	half := "data: " + strings.Repeat("a", MaxBytes/2) + "\n"
	for _, c := range []struct {
		name, stream string
		isTooLong    bool
	}{
		{"the longest line", line + "\n", false},
		{"a longer line", "x" + line + "\n", true},
		{"a longer line without an end", "x" + line[:len(line)-1], true},
		{"the longest line in a later event", "data: a\n\n" + line + "\n", false},
		{"two lines of one event", half + half + "\n", true},
		{"two lines of two events", half + "\n" + half + "\n", false},
	} {
		for _, size := range []int{len(c.stream), 1000} {
			isRead := false
			p := &Parser{OnEvent: func(data, _ []byte) { isRead = isRead || string(data) == "after" }}
			for rest := c.stream + "\n\ndata: after\n\n"; rest != ""; rest = rest[min(size, len(rest)):] {
				p.Feed([]byte(rest[:min(size, len(rest))]))
			}
			if p.IsTooLong != c.isTooLong || isRead == c.isTooLong || cap(p.partial)+cap(p.own) > 5*MaxBytes {
				t.Errorf("%s, %d at a time: %v, read %v, %d bytes", c.name, size, p.IsTooLong, isRead, cap(p.partial)+cap(p.own))
			}
			p.Reset()
			if p.IsTooLong {
				t.Errorf("%s: too long after Reset", c.name)
			}
		}
	}
}

func TestResetDiscardsState(t *testing.T) {
	var events []string
	p := &Parser{OnEvent: func(data, _ []byte) { events = append(events, string(data)) }}
	p.Feed([]byte("data: left\ndata: ov"))
	p.Reset()
	p.Feed([]byte("\xEF\xBB\xBFdata: a\n\n"))
	if !slices.Equal(events, []string{"a"}) {
		t.Errorf("%q", events)
	}
}

// reference is a second, deliberately simple implementation of the algorithm.
func reference(stream string) []string {
	stream = strings.TrimPrefix(stream, "\xEF\xBB\xBF")
	stream = strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(stream, "\n")
	var events, data []string
	event := ""
	for _, line := range lines[:len(lines)-1] {
		if line == "" {
			if len(data) > 0 {
				events = append(events, event+"|"+strings.Join(data, "\n"))
			}
			data, event = nil, ""
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "data":
			data = append(data, value)
		case "event":
			event = value
		}
	}
	return events
}

func FuzzParser(f *testing.F) {
	for _, c := range cases {
		f.Add(c.stream, 3)
	}
	f.Fuzz(func(t *testing.T, stream string, cut int) {
		want := reference(stream)
		if got := parse(stream); !slices.Equal(got, want) {
			t.Fatalf("%q gives %q, not %q", stream, got, want)
		}
		if cut < 0 || cut > len(stream) {
			return
		}
		if got := parse(stream[:cut], stream[cut:]); !slices.Equal(got, want) {
			t.Fatalf("%q, cut at %d, gives %q, not %q", stream, cut, got, want)
		}
	})
}
