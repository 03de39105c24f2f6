package stream

import (
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
)

// text puts U+FFFD where bytes are no UTF-8, as the standard decodes.
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
