//go:build !linux

package arrivals

import (
	"runtime"
	"time"
)

const coarse = 1500 * time.Microsecond

// sleepPrecisely only yields the processor, because these systems have no precise sleep.
func sleepPrecisely(time.Duration) { runtime.Gosched() }
