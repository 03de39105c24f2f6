package touchstone

import "os"

// runner is whoever started this process and reads along. Killed, it can no longer end it, and a load that nobody waits for
// would go on and cost money.
type runner struct{ pid int }

func theRunner() runner { return runner{os.Getppid()} }

func (r runner) isGone() bool { return os.Getppid() != r.pid }

// endSelf ends k6 as Ctrl-C does.
func endSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Signal(os.Interrupt)
	}
}
