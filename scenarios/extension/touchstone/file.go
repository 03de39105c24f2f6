package touchstone

import (
	"errors"
	"fmt"

	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/lib/fsext"
)

// fileHandle is a file that all VUs share in memory.
type fileHandle struct {
	Bytes   int64 `js:"bytes"`
	content []byte
}

// file returns a file, which it reads on the first call. It resolves paths like k6's open(), and k6 archives contain
// the file.
func (p *process) file(env *common.InitEnvironment, path string) (*fileHandle, error) {
	if env == nil {
		return nil, errors.New("file() can be called in the init context only")
	}
	if path == "" {
		return nil, errors.New("file() needs a path")
	}
	path = env.GetAbsFilePath(path)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if handle := p.files[path]; handle != nil {
		return handle, nil
	}
	content, err := fsext.ReadFile(env.FileSystems["file"], path)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	handle := &fileHandle{Bytes: int64(len(content)), content: content}
	p.files[path] = handle
	return handle, nil
}
