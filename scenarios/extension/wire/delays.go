package wire

import (
	"math"
	"sync"
	"time"

	"touchstone/k6/clock"
)

const (
	slotNs    = int64(50 * time.Millisecond)
	slotCount = 100
	// delayWindow is the time before a read within which the delays of other reads count. Busy phases of a machine
	// last longer.
	delayWindow = int64(time.Second)
	// maxIdleDelay is the maximum delay of reads on a machine on which threads do not wait for a processor. A longer
	// delay means that the machine is busy, and that the delays of some reads say nothing about the delays of others.
	maxIdleDelay = int64(5 * time.Millisecond)
	// minReads is the minimum number of delays from which the delay of another read can be estimated.
	minReads = 50
)

// delays contains the largest delay of a read in each of the last 100 slots of 50 ms. A delay is the time from the
// arrival of bytes to the read that returned them. For bytes that arrived in several segments, it is the delay of the
// last one.
type delays struct {
	mutex sync.Mutex
	slots [slotCount]struct{ number, maxNs, count int64 }
}

// readDelays are the delays of all connections of the process.
var readDelays = &delays{}

func (d *delays) add(readNs, delayNs int64) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	slot := &d.slots[readNs/slotNs%slotCount]
	if number := readNs / slotNs; slot.number != number {
		slot.number, slot.maxNs, slot.count = number, 0, 0
	}
	slot.maxNs = max(slot.maxNs, delayNs)
	slot.count++
}

// around returns an upper bound of the delay of a read: twice the largest delay of all reads from one second before it
// until now. With few reads, or on a busy machine, the delay is unknown, and the result is the largest integer.
func (d *delays) around(readNs int64) int64 {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	from, largest, count := (readNs-delayWindow)/slotNs, int64(0), int64(0)
	for _, slot := range d.slots {
		if slot.number >= from {
			largest, count = max(largest, slot.maxNs), count+slot.count
		}
	}
	if count < minReads || largest > maxIdleDelay {
		return math.MaxInt64
	}
	return 2 * largest
}

// Tighten narrows the bounds of an arrival with the delays of other reads of the process. Call it some time after the
// read, because a delay of the whole process also affects later reads.
func Tighten(a clock.Arrival) clock.Bounds {
	if a.LateNs == 0 {
		return a.Bounds
	}
	return a.Within(readDelays.around(a.LateNs))
}
