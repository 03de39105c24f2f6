package wire

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"slices"
	"testing"
)

// cutAt returns the two parts of bytes, or all bytes for an invalid position.
func cutAt(all []byte, position int) [][]byte {
	if position < 0 || position > len(all) {
		return [][]byte{all}
	}
	return [][]byte{all[:position], all[position:]}
}

// The counter must count the same bytes however they arrive, and the bytes that net/http returns.
func FuzzBodyCounter(f *testing.F) {
	const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, response := range []string{
		head + "3\r\nabc\r\n0\r\n\r\n",
		head + "3;name=\"a\"\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: a\r\n\r\n",
		head + "-6\r\nabc\r\n",
		head + "ffffffffffffffffff\r\nabc",
		head + "A\nabcdefghij\n0\n\n",
		"HTTP/1.1 103 Early Hints\r\n\r\n" + head + "1\r\na\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
		"HTTP/1.1 200 OK\n\nabc",
		"\r\n\r\n",
		"",
	} {
		f.Add([]byte(response), 40)
		f.Add([]byte(response), len(response)/2)
	}
	f.Fuzz(func(t *testing.T, response []byte, cut int) {
		count := func(parts ...[]byte) bodyCounter {
			counter := bodyCounter{}
			counter.begin()
			for _, part := range parts {
				counter.add(part)
			}
			counter.head = nil
			return counter
		}
		whole := count(response)
		if whole.bytes < 0 || whole.bytes > int64(len(response)) {
			t.Fatalf("%d of %d bytes", whole.bytes, len(response))
		}
		// The counter gives up on a long head when the rest of it arrives.
		if parts := count(cutAt(response, cut)...); len(response) < maxHeadBytes && (parts.bytes != whole.bytes || parts.part != whole.part) {
			t.Fatalf("cut at %d: %+v, not %+v", cut, parts, whole)
		}
		read, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(response)), nil)
		if err != nil || read.StatusCode < 200 || read.StatusCode == 204 || read.StatusCode == 304 || !slices.Equal(read.TransferEncoding, []string{"chunked"}) {
			return
		}
		if body, err := io.ReadAll(read.Body); err == nil && whole.bytes != int64(len(body)) {
			t.Fatalf("%d bytes, not %d", whole.bytes, len(body))
		}
	})
}

func FuzzRecordSplitter(f *testing.F) {
	f.Add([]byte("\x17\x03\x03\x00\x02ab\x17\x03\x03\x00\x00\x17\x03"), 3)
	f.Add([]byte("\x17\x03\x03\xff\xffa"), 5)
	f.Fuzz(func(t *testing.T, received []byte, cut int) {
		split := func(parts ...[]byte) (ends []int) {
			splitter, position := recordSplitter{}, 0
			for _, part := range parts {
				for len(part) > 0 {
					n, isComplete := splitter.next(part)
					if n < 1 || n > len(part) {
						t.Fatalf("%d of %d bytes", n, len(part))
					}
					if position += n; isComplete {
						ends = append(ends, position)
					}
					part = part[n:]
				}
			}
			return ends
		}
		if whole, parts := split(received), split(cutAt(received, cut)...); !slices.Equal(whole, parts) {
			t.Fatalf("cut at %d: %v, not %v", cut, parts, whole)
		}
	})
}
