package record

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"sync"
)

// Lines writes JSON values, one per line, for a reader that follows the run. If the reader closes the file, the run
// continues.
type Lines struct {
	mutex  sync.Mutex
	file   *os.File
	buffer *bufio.Writer
}

var descriptor = regexp.MustCompile(`^/dev/fd/([0-9]+)$`)

// OpenLines opens a path for writing. It uses an inherited file descriptor directly, because a socket cannot be opened
// by its path.
func OpenLines(path string) (*Lines, error) {
	var file *os.File
	if match := descriptor.FindStringSubmatch(path); match != nil {
		number, err := strconv.Atoi(match[1])
		if err != nil {
			return nil, err
		}
		file = os.NewFile(uintptr(number), path)
		if _, err := file.Stat(); err != nil {
			return nil, fmt.Errorf("%s is not open: %w", path, err)
		}
	} else {
		opened, err := os.Create(path)
		if err != nil {
			return nil, err
		}
		file = opened
	}
	return &Lines{file: file, buffer: bufio.NewWriterSize(file, 64*1024)}, nil
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

// Flush writes the buffered lines to the file.
func (l *Lines) Flush() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	_ = l.buffer.Flush()
}
