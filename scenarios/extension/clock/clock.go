// Package clock gives instants as nanoseconds on the monotonic clock, which cost nothing to store and to subtract.
package clock

import "time"

var base = time.Now()

// Now is the time since this process began.
func Now() int64 { return int64(time.Since(base)) }

// Wall is the time of day at an instant.
func Wall(ns int64) time.Time { return base.Add(time.Duration(ns)) }

// At is the instant of a Unix time in milliseconds, as far as the two clocks agreed when this process began.
func At(unixMs float64) int64 {
	return int64(unixMs*1e6) - base.UnixNano()
}

// Ms turns nanoseconds into milliseconds with fractions.
func Ms(ns int64) float64 { return float64(ns) / 1e6 }
