//go:build !linux

package arrivals

import (
	"runtime"
	"time"
)

const coarse = 1500 * time.Microsecond

// sleepClosely has no finer sleep here than to let others go first.
func sleepClosely(time.Duration) { runtime.Gosched() }
