package exchange

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
)

// errCoding means that the content coding of a response is not supported.
var errCoding = errors.New("content coding")

// decode decompresses a gzip body, which some servers send although the request accepts only identity. It reports
// whether the body has a content coding.
func (a *Result) decode() (isEncoded bool, err error) {
	switch coding := strings.ToLower(a.Response.Header.Get("Content-Encoding")); coding {
	case "", "identity":
		return false, nil
	case "gzip", "x-gzip":
		a.Response.Body = &unzipped{packed: a.Response.Body}
		return true, nil
	default:
		return true, fmt.Errorf("%w %s", errCoding, coding)
	}
}

// unzipped creates its gzip reader on the first Read, because gzip.NewReader reads the header.
type unzipped struct {
	packed io.ReadCloser
	plain  *gzip.Reader
}

func (u *unzipped) Read(into []byte) (int, error) {
	if u.plain == nil {
		plain, err := gzip.NewReader(u.packed)
		if err != nil {
			return 0, err
		}
		u.plain = plain
	}
	return u.plain.Read(into)
}

func (u *unzipped) Close() error { return u.packed.Close() }
