package form

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"testing"
)

func TestEncodesForm(t *testing.T) {
	content := bytes.Repeat([]byte{0, '\r', '\n', 0xFF}, 1000)
	f, err := New(map[string]string{"model": "m", "language": "č"},
		File{Field: "file", Name: "a \"b\"\r\n.mp3", Type: "audio/mpeg", Content: content})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // each reader starts at the beginning
		written, err := io.ReadAll(f.Open())
		if err != nil || int64(len(written)) != f.Bytes {
			t.Fatalf("%d bytes, not %d: %v", len(written), f.Bytes, err)
		}
		checkForm(t, f.ContentType, written, content)
	}
	if &f.content[0] != &content[0] {
		t.Error("the file was copied")
	}
}

func checkForm(t *testing.T, contentType string, written, content []byte) {
	t.Helper()
	_, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatal(err)
	}
	read, err := multipart.NewReader(bytes.NewReader(written), parameters["boundary"]).ReadForm(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if read.Value["model"][0] != "m" || read.Value["language"][0] != "č" || len(read.File["file"]) != 1 {
		t.Fatalf("%+v", read)
	}
	file := read.File["file"][0]
	if file.Filename != "a %22b%22%0D%0A.mp3" || file.Header.Get("Content-Type") != "audio/mpeg" {
		t.Errorf("%+v", file)
	}
	opened, err := file.Open()
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := io.ReadAll(opened); !bytes.Equal(got, content) {
		t.Error("the file is not as it was")
	}
}
