package touchstone

import "os"

// parentProcess started this process and reads its progress. When it is killed, the load has to end: it would cost money, and nobody
// would read its result.
type parentProcess struct{ pid int }

func currentParent() parentProcess { return parentProcess{os.Getppid()} }

func (p parentProcess) hasExited() bool { return os.Getppid() != p.pid }

// interruptSelf ends k6 like Ctrl-C.
func interruptSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Signal(os.Interrupt)
	}
}
