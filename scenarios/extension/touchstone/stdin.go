package touchstone

import (
	"io"
	"os"
)

// stopAtEndOfStdin ends the run when standard input ends. The process that started k6 holds the other end of the pipe,
// which the system closes if that process is killed. The load must then stop, because the load costs money and nobody
// would read the result.
func stopAtEndOfStdin() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(os.Interrupt) // like Ctrl-C
	}
	if err != nil { // Windows cannot send this signal
		os.Exit(1)
	}
}
