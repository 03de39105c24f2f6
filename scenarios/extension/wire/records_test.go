package wire

import (
	"slices"
	"testing"
)

func TestFindsTheEndOfEachRecord(t *testing.T) {
	record := func(length int) []byte {
		return append([]byte{23, 3, 3, byte(length >> 8), byte(length)}, make([]byte, length)...)
	}
	stream := slices.Concat(record(1), record(300), record(0), record(7))
	want := []int{6, 311, 316, 328}
	for _, step := range []int{1, 2, 4, 5, 6, 100, len(stream)} {
		splitter, ends, at := recordSplitter{}, []int{}, 0
		for rest := stream; len(rest) > 0; {
			n, isComplete := splitter.next(rest[:min(step, len(rest))])
			rest = rest[n:]
			if at += n; isComplete {
				ends = append(ends, at)
			}
		}
		if !slices.Equal(ends, want) {
			t.Errorf("with %d bytes at a time: %v, not %v", step, ends, want)
		}
	}
}

func TestDetectsTLSAtTheStartAndInATunnel(t *testing.T) {
	hello, connect, binary := "\x16\x03\x01\x02", "CONNECT host:443 HTTP/1.1\r\n", "POST / HTTP/1.1\r\n"
	for _, c := range []struct {
		writes []string
		want   bool
	}{
		{[]string{hello}, true},
		{[]string{connect, hello}, true},
		{[]string{binary, hello}, false}, // part of a body
		{[]string{binary}, false},
	} {
		conn := &Conn{}
		for _, written := range c.writes {
			conn.detectTLS([]byte(written))
		}
		if got := conn.encrypted != nil; got != c.want {
			t.Errorf("%q: %v", c.writes, got)
		}
	}
}
