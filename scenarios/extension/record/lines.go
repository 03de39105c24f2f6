package record

import (
	"bufio"
	"encoding/json"
	"os"
	"sync"
)

// Lines writes JSON values, one per line. If they cannot be written, the run continues.
type Lines struct {
	mutex  sync.Mutex
	buffer *bufio.Writer
}

// OpenLines opens a path for writing. The path "stdout" means the standard output.
func OpenLines(path string) (*Lines, error) {
	file := os.Stdout
	if path != "stdout" {
		created, err := os.Create(path)
		if err != nil {
			return nil, err
		}
		file = created
	}
	return &Lines{buffer: bufio.NewWriterSize(file, 64*1024)}, nil
}

// Write writes a value as one line.
func (l *Lines) Write(value any) {
	line, err := json.Marshal(value)
	if err != nil {
		return // cannot happen: values are plain structs of numbers and strings
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	_, _ = l.buffer.Write(append(line, '\n'))
}

// Flush writes the buffered lines to the file. It returns the first error of all writes so far.
func (l *Lines) Flush() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.buffer.Flush()
}
