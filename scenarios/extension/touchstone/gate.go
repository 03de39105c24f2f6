package touchstone

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib"

	"touchstone/k6/arrivals"
	"touchstone/k6/clock"
)

const (
	// startSpacing is the time between the first requests of two VUs. Without it, the scripts of all VUs would compete
	// for the processor with each other, and with a target on the same machine.
	startSpacing = time.Millisecond
	// maxStartGap is the maximum time that the gate waits for the next VU, because k6 may start fewer VUs than the
	// script expects.
	maxStartGap = 500 * time.Millisecond
	// planLead is the time between the opening of the gate and the start of a plan.
	planLead = 10 * time.Millisecond
)

// gate holds VUs before their first request until all VUs are running. Otherwise, k6 would still be starting VUs
// during the first measurements.
type gate struct {
	mutex   sync.Mutex
	waiting int64
	lastNs  int64 // when the last VU arrived at the gate
	starts  *arrivals.Plan
	opened  chan struct{}
}

func newGate() *gate { return &gate{opened: make(chan struct{})} }

// wait blocks a VU until the gate is open. A paced gate releases VUs one after another.
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
		case <-time.After(maxStartGap / 5):
		}
		g.mutex.Lock()
		if clock.Now()-g.lastNs > int64(maxStartGap) {
			g.open(expected, isPaced)
		}
		g.mutex.Unlock()
	}
}

// open opens the gate. The caller must hold the mutex.
func (g *gate) open(expected int64, isPaced bool) {
	select {
	case <-g.opened:
		return
	default:
	}
	// Collect the garbage that starting the VUs has left. Otherwise, Go would collect it during the first requests.
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

// waitForStart blocks the VU before its first request until all VUs are running.
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

// startingVUs returns the number of VUs that k6 starts immediately in this segment.
func startingVUs(all int64, state *lib.State) int64 {
	tuple, err := lib.NewExecutionTuple(state.Options.ExecutionSegment, state.Options.ExecutionSegmentSequence)
	if err != nil {
		return 0
	}
	return tuple.ScaleInt64(all)
}

// ready waits until all VUs are running. Only the first call of a VU waits. Scripts call it before each request, and sobek
// calls functions of this type without reflection.
func (i *instance) ready(sobek.FunctionCall) sobek.Value {
	if i.vu.State() != nil {
		i.waitForStart(true)
	}
	return sobek.Undefined()
}
