package exchange

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"touchstone/k6/clock"
)

// errCoding means that the content coding of a response is not supported.
var errCoding = errors.New("content coding")

// decode decompresses a gzip body, which some servers send although the request accepts only identity. The source then
// reports the arrivals of the compressed bytes.
func (a *Result) decode(from *source) error {
	switch coding := strings.ToLower(a.Response.Header.Get("Content-Encoding")); coding {
	case "", "identity":
		return nil
	case "gzip", "x-gzip":
		from.packed = &packedReader{body: a.Response.Body, source: from}
		a.Response.Body = &unzipped{packed: a.Response.Body, reader: from.packed}
		return nil
	default:
		return fmt.Errorf("%w %s", errCoding, coding)
	}
}

// packedReader reads a compressed body, and returns only bytes that arrived together. A decompressor returns the data
// before a flush as soon as it has the bytes of the flush, so the data arrived with the last bytes that it has read.
type packedReader struct {
	body   io.Reader
	source *source
	buffer [4096]byte
	held   []byte // bytes in the buffer that Read has not returned
	err    error  // error after the held bytes
	last   clock.Bounds
}

func (p *packedReader) Read(into []byte) (int, error) {
	isPartial := false
	if len(p.held) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		var n int
		n, p.err = p.body.Read(p.buffer[:])
		p.held, isPartial = p.buffer[:n], n == len(p.buffer)
	}
	n := min(len(into), len(p.held))
	if n == 0 {
		return 0, p.err
	}
	n, p.last = p.source.arrived(n, isPartial)
	copy(into, p.held[:n])
	p.held = p.held[n:]
	return n, nil
}

// unzipped creates its gzip reader on the first Read, because gzip.NewReader reads the header.
type unzipped struct {
	packed io.Closer
	reader io.Reader
	plain  *gzip.Reader
}

func (u *unzipped) Read(into []byte) (int, error) {
	if u.plain == nil {
		plain, err := gzip.NewReader(u.reader)
		if err != nil {
			return 0, err
		}
		u.plain = plain
	}
	return u.plain.Read(into)
}

func (u *unzipped) Close() error { return u.packed.Close() }
