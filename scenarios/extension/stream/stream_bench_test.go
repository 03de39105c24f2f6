package stream

import (
	"strings"
	"testing"
)

// BenchmarkRead measures a stream of 100 tokens, as an emulator sends it.
func BenchmarkRead(b *testing.B) {
	const head = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1750000000,"model":"vendora-v4-flash","choices":[{"index":0,"delta":`
	body := head + `{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n" +
		strings.Repeat(head+`{"content":" a token"},"finish_reason":null}]}`+"\n\n", 100) +
		head + `{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	reader := NewReader()
	b.ReportAllocs()
	for b.Loop() {
		reader.Reset(Options{TokenPerEvent: true})
		if _, err := reader.Read(strings.NewReader(body), now{}); err != nil || len(reader.ContentTimes) != 100 {
			b.Fatal(err)
		}
	}
}
