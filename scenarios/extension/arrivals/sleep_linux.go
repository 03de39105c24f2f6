package arrivals

import (
	"syscall"
	"time"
)

// coarse is the remaining wait below which nanosleep replaces the Go timer, which may be about 1 ms late.
const coarse = 1500 * time.Microsecond

// wakeUp is the approximate time that the kernel needs to wake a thread.
const wakeUp = 60 * time.Microsecond

// sleepPrecisely blocks the thread without using the processor. It may return slightly before or after the given time.
func sleepPrecisely(left time.Duration) {
	if left <= wakeUp {
		return // too short to sleep: the caller polls the clock
	}
	spec := syscall.NsecToTimespec(int64(left - wakeUp))
	_ = syscall.Nanosleep(&spec, nil)
}
