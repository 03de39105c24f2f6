package touchstone

import (
	"context"
	"runtime"
	"sync"
	"time"

	"go.k6.io/k6/v2/lib"

	"touchstone/k6/arrivals"
	"touchstone/k6/clock"
)

const (
	// startSpacing is the time between the first requests of two VUs. Without it, the scripts of all VUs would compete with each other,
	// and with a target on the same machine, for the processor.
	startSpacing = time.Millisecond
	// startPatience is how long the gate waits for a further VU, because k6 may start fewer VUs than the script expects.
	startPatience = 500 * time.Millisecond
	// planLead is the time between the opening of the gate and the start of a plan.
	planLead = 10 * time.Millisecond
)

// gate holds VUs before their first request until all VUs are running. Otherwise the first requests would be measured while k6 still
// starts other VUs.
type gate struct {
	mutex   sync.Mutex
	waiting int64
	lastNs  int64 // arrival of the last VU
	starts  *arrivals.Plan
	opened  chan struct{}
}

func newGate() *gate { return &gate{opened: make(chan struct{})} }

// wait returns when the gate is open. VUs leave a paced gate one after another.
func (g *gate) wait(ctx context.Context, expected int64, isPaced bool) {
	g.mutex.Lock()
	g.waiting++
	g.lastNs = clock.Now()
	switch {
	case g.waiting == expected:
		g.open(expected, isPaced)
	case g.waiting == 1:
		go g.openLate(expected, isPaced)
	}
	g.mutex.Unlock()
	select {
	case <-g.opened:
	case <-ctx.Done():
		return
	}
	if g.starts != nil {
		g.starts.Next(ctx)
	}
}

// openLate opens the gate if some VUs do not arrive in time.
func (g *gate) openLate(expected int64, isPaced bool) {
	for {
		select {
		case <-g.opened:
			return
		case <-time.After(startPatience / 5):
		}
		g.mutex.Lock()
		if clock.Now()-g.lastNs > int64(startPatience) {
			g.open(expected, isPaced)
		}
		g.mutex.Unlock()
	}
}

// open needs the mutex.
func (g *gate) open(expected int64, isPaced bool) {
	select {
	case <-g.opened:
		return
	default:
	}
	// Collect the garbage of the start now, rather than during the first requests.
	runtime.GC()
	if isPaced {
		atMs := make([]float64, expected)
		for index := range atMs {
			atMs[index] = clock.Ms(int64(index) * int64(startSpacing))
		}
		g.starts = arrivals.Start(context.Background(), arrivals.Arrivals{AtMs: atMs}, arrivals.Whole, clock.Now())
	}
	close(g.opened)
}

// waitForStart holds the VU before its first request.
func (i *instance) waitForStart(isPaced bool) {
	if i.isStarted {
		return
	}
	i.isStarted = true
	state := i.vu.State()
	if expected := startingVUs(i.process.settings.VUs, state); expected > 1 {
		i.process.gate.wait(i.vu.Context(), expected, isPaced)
	}
}

// startingVUs returns the number of VUs that k6 starts in this segment.
func startingVUs(all int64, state *lib.State) int64 {
	tuple, err := lib.NewExecutionTuple(state.Options.ExecutionSegment, state.Options.ExecutionSegmentSequence)
	if err != nil {
		return 0
	}
	return tuple.ScaleInt64(all)
}

// ready waits until all VUs are running. Only the first call of a VU waits.
func (i *instance) ready() {
	if i.vu.State() != nil {
		i.waitForStart(true)
	}
}
