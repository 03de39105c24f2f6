// Package form encodes multipart forms. All requests share one copy of the file in memory.
package form

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"
	"sort"
	"strings"
)

// File is the file part of a form.
type File struct {
	Field, Name, Type string
	Content           []byte
}

// Form is an encoded form: the bytes before the file, the file, and the bytes after it.
type Form struct {
	ContentType string
	Bytes       int64
	before      []byte
	content     []byte
	after       []byte
}

// New encodes a form: fields sorted by name, then the file. It does not copy the content of the file.
func New(fields map[string]string, file File) (*Form, error) {
	var written bytes.Buffer
	writer := multipart.NewWriter(&written)
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if err := writer.WriteField(name, fields[name]); err != nil {
			return nil, err
		}
	}
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition",
		fmt.Sprintf(`form-data; name="%s"; filename="%s"`, escape(file.Field), escape(file.Name)))
	header.Set("Content-Type", strings.NewReplacer("\r", "", "\n", "").Replace(file.Type))
	if _, err := writer.CreatePart(header); err != nil {
		return nil, err
	}
	before := written.Len()
	if err := writer.Close(); err != nil {
		return nil, err
	}
	all := written.Bytes()
	return &Form{
		ContentType: writer.FormDataContentType(),
		Bytes:       int64(len(all) + len(file.Content)),
		before:      all[:before],
		content:     file.Content,
		after:       all[before:],
	}, nil
}

// Open returns a reader of the whole form.
func (f *Form) Open() io.ReadCloser {
	return io.NopCloser(io.MultiReader(bytes.NewReader(f.before), bytes.NewReader(f.content), bytes.NewReader(f.after)))
}

// escape escapes a name in the same way as browsers.
func escape(name string) string {
	return strings.NewReplacer("\r", "%0D", "\n", "%0A", `"`, "%22").Replace(name)
}
