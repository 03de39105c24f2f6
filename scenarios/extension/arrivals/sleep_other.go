//go:build !linux

package arrivals

import (
	"runtime"
	"time"
)

const coarse = 1500 * time.Microsecond

// sleepPrecisely has no finer sleep here than to let others go first.
func sleepPrecisely(time.Duration) { runtime.Gosched() }
