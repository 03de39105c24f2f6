// Package clock represents instants as nanoseconds on the monotonic clock, which are cheap to store and to subtract.
package clock

import (
	"sync/atomic"
	"time"
)

var base = time.Now()

// Now returns the current instant: the nanoseconds since the process started.
func Now() int64 { return int64(time.Since(base)) }

// reading is the current instant and the wall-clock time, in nanoseconds since 1970.
type reading struct{ ns, unixNs int64 }

// offset is the wall-clock time at the start of the process, according to this reading.
func (r reading) offset() int64 { return r.unixNs - r.ns }

// knownOffset is the offset of an earlier reading without an interruption.
var knownOffset atomic.Int64

// toleranceNs is the maximum difference between offsets that counts as none.
const toleranceNs = 1000

// NowWithUnix returns the current instant and the wall-clock time at the same moment, in nanoseconds since 1970.
func NowWithUnix() (ns, unixNs int64) {
	now, known := read(), knownOffset.Load()
	if now.offset() < known-toleranceNs { // interrupted, or the wall clock was set back
		now = leastDelayed(now, read())
	}
	if difference := now.offset() - known; difference > toleranceNs || difference < -toleranceNs {
		knownOffset.Store(now.offset())
	}
	return now.ns, now.unixNs
}

// read reads both clocks. time.Now reads the wall clock first. If the thread loses the processor in between, the instant
// is too late, on a busy machine by milliseconds.
func read() reading {
	now := time.Now()
	return reading{int64(now.Sub(base)), now.UnixNano()}
}

// leastDelayed returns the reading with the shorter time between the readings of the two clocks.
func leastDelayed(a, b reading) reading {
	if a.offset() > b.offset() {
		return a
	}
	return b
}

// Wall converts an instant to wall-clock time.
func Wall(ns int64) time.Time { return base.Add(time.Duration(ns)) }

// At converts a Unix time in milliseconds to an instant. It uses the offset between the wall clock and the monotonic
// clock at the start of the process.
func At(unixMs float64) int64 {
	return int64(unixMs*1e6) - base.UnixNano()
}

// Ms converts nanoseconds to fractional milliseconds.
func Ms(ns int64) float64 { return float64(ns) / 1e6 }
