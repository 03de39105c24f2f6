package stream

import (
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
)

// text replaces invalid UTF-8 with U+FFFD, as the WHATWG standard does.
func text(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	decoded, err := unicode.UTF8.NewDecoder().Bytes(data)
	if err != nil {
		return string(data)
	}
	return string(decoded)
}
