package arrivals

import (
	"syscall"
	"time"
)

// coarse is what is left to the thread's own sleep: longer than a timer is late.
const coarse = 1500 * time.Microsecond

// wakeUp is about what the kernel takes to wake a thread.
const wakeUp = 60 * time.Microsecond

// sleepPrecisely keeps a thread, and no processor, and returns a little before or after.
func sleepPrecisely(left time.Duration) {
	if left <= wakeUp {
		return // so little that asking the clock again is the best wait
	}
	spec := syscall.NsecToTimespec(int64(left - wakeUp))
	_ = syscall.Nanosleep(&spec, nil)
}
