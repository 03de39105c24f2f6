package touchstone

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"touchstone/k6/arrivals"
	"touchstone/k6/clock"
	"touchstone/k6/record"
	"touchstone/k6/spending"
	"touchstone/k6/wire"
)

// process is the state that all VUs of a process share.
type process struct {
	mutex        sync.Mutex
	settings     settings
	settingsJSON string // settings as JSON, to compare them with those of a later call
	isSetUp      bool
	progress     *record.Lines
	events       *record.Lines
	files        map[string]*fileHandle
	spendLimiter *spending.SpendLimiter // nil if there is no limit
	arrivals     *arrivals.Arrivals
	segment      arrivals.Segment
	plan         *arrivals.Plan
	gate         *gate

	requests atomic.Int64 // number of requests with an ID
	warmUps  atomic.Int64 // number of warm-up requests of a closed loop

	begin     sync.Once
	zeroNs    int64
	stoppedNs atomic.Int64 // when the run was ended early; 0 if it was not

	itlsOnce    sync.Once
	hasITLTrend bool
	recorder    *record.Recorder
}

func newProcess() *process {
	return &process{files: map[string]*fileHandle{}, segment: arrivals.Whole, gate: newGate()}
}

func (p *process) setUp(exported any) error {
	read, written, err := readSettings(exported)
	if err != nil {
		return err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.isSetUp {
		if written != p.settingsJSON {
			return errors.New("setUp was already called with other settings")
		}
		return nil
	}
	wire.Prepare()
	if read.ProgressPath != "" {
		if p.progress, err = record.OpenLines(read.ProgressPath); err != nil {
			return err
		}
	}
	if read.EventsPath != "" {
		if p.events, err = record.OpenLines(read.EventsPath); err != nil {
			return err
		}
	}
	if read.MaxUnits != nil {
		p.spendLimiter = spending.NewSpendLimiter(*read.MaxUnits)
	}
	p.settings, p.settingsJSON, p.isSetUp = read, written, true
	if read.EndsWithStdin {
		go stopAtEndOfStdin()
	}
	return nil
}

// run returns the recorder of the run, and starts the run on its first call. VUs first call it when they iterate,
// because k6 creates them long before.
func (p *process) run() *record.Recorder {
	p.begin.Do(func() {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		p.zeroNs = clock.Now()
		if at := p.settings.StartAtUnixMs; at != nil {
			p.zeroNs = clock.At(*at)
		}
		p.recorder = record.New(p.settings.recordLimits(), p.zeroNs+ns(&p.settings.WarmUpMs))
		p.recorder.Watch(p.settings.recordBudgets())
		if p.progress != nil || p.events != nil {
			go p.writeEachSecond()
		}
	})
	return p.recorder
}

// writeEachSecond writes progress and events on each full second of the run.
func (p *process) writeEachSecond() {
	for {
		elapsed := time.Duration(clock.Now() - p.zeroNs)
		time.Sleep(time.Second - elapsed%time.Second)
		_ = p.writeLines() // The result reports the error.
	}
}

// writeLines writes a line of progress, and the events so far. It returns an error if events could not be written.
func (p *process) writeLines() error {
	if p.progress != nil {
		p.progress.Write(p.recorder.Progress())
		_ = p.progress.Flush()
	}
	if p.events != nil {
		return p.events.Flush()
	}
	return nil
}

// startPlan returns the plan, which it starts on the first call.
func (p *process) startPlan(segment func() (arrivals.Segment, error)) (*arrivals.Plan, error) {
	p.run()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.plan != nil {
		return p.plan, nil
	}
	own, err := segment()
	if err != nil {
		return nil, err
	}
	p.segment = own
	zeroNs := p.zeroNs
	if p.settings.StartAtUnixMs == nil {
		zeroNs += int64(planLead)
	}
	p.plan = arrivals.Start(context.Background(), *p.arrivals, own, zeroNs)
	return p.plan, nil
}

// recordStop records when the run ended. Only the first call has an effect.
func (p *process) recordStop() { p.stoppedNs.CompareAndSwap(0, clock.Now()) }

// justDue is the time before the end of a run within which an arrival may become due without counting as dropped.
const justDue = 100 * time.Millisecond

func (p *process) planResult() *record.PlanResult {
	if p.arrivals == nil {
		return nil
	}
	// The arrivals of the warm-up are the first.
	warmUps := arrivals.Share(p.plannedWarmUps(), p.segment)
	planned := arrivals.Share(len(p.arrivals.AtMs), p.segment) - warmUps
	result := &record.PlanResult{Planned: planned, Due: planned}
	if p.plan == nil {
		return result
	}
	result.Taken = max(0, p.plan.Taken()-warmUps)
	if stoppedNs := p.stoppedNs.Load(); stoppedNs != 0 {
		result.Due = max(0, p.plan.DueBy(stoppedNs-int64(justDue))-warmUps)
	}
	return result
}

func (p *process) result() string {
	recorder := p.run()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	err := p.writeLines()
	result := recorder.Result(p.segment, p.planResult(), wire.HasKernelTimes())
	if err != nil {
		result.EventsProblem = err.Error()
	}
	if p.spendLimiter != nil {
		result.OutOfCredits = p.spendLimiter.End()
	}
	encoded, err := json.Marshal(result)
	if err != nil {
		panic(err) // cannot happen: the result has only numbers and strings
	}
	return string(encoded)
}
