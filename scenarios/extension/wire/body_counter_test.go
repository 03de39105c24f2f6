package wire

import (
	"strings"
	"testing"
)

func TestCountsTheBytesOfABody(t *testing.T) {
	const text = "12345678901234567890123456"
	for name, c := range map[string]struct {
		response string
		want     int64
	}{
		"chunks":            {"HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n1a;x=\"y\"\r\n" + text + "\r\n0A \r\n\r\n3456789\n\r\n0\r\nx: y\r\n\r\n", 36},
		"a length":          {"HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\n" + text, 26},
		"the end":           {"HTTP/1.0 200 OK\n\n" + text, 26},
		"an interim answer": {"HTTP/1.1 103 Early Hints\r\nTransfer-Encoding: x\r\n\r\nHTTP/1.1 200 OK\r\nX-Transfer-Encoding: chunked\r\n\r\n1\r\n" + text, 29},
		"a long head":       {"HTTP/1.1 200 OK\r\nx: " + strings.Repeat("y", 2*maxHeadBytes) + "\r\n\r\n" + text, 0},
	} {
		for size := range 40 {
			var b bodyCounter
			b.begin()
			b.begin()
			for rest := c.response; rest != ""; {
				n := min(size+1, len(rest))
				b.add([]byte(rest[:n]))
				rest = rest[n:]
			}
			if b.bytes != c.want {
				t.Errorf("%s in pieces of %d: %d, not %d", name, size+1, b.bytes, c.want)
			}
		}
	}
}
