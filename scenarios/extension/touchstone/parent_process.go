package touchstone

import "os"

// parentProcess is the process that started k6 and reads its progress. If it is killed, the load must stop, because
// the load costs money and nobody would read the result.
type parentProcess struct{ pid int }

func currentParent() parentProcess { return parentProcess{os.Getppid()} }

func (p parentProcess) hasExited() bool { return os.Getppid() != p.pid }

// interruptSelf stops k6 in the same way as Ctrl-C.
func interruptSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Signal(os.Interrupt)
	}
}
