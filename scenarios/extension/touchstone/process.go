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
	"touchstone/k6/oracle"
	"touchstone/k6/record"
	"touchstone/k6/spending"
)

// process is what all VUs of a process share.
type process struct {
	mutex    sync.Mutex
	settings settings
	written  string // the settings, as they were given
	isSetUp  bool
	progress *record.Lines
	events   *record.Lines
	files    map[string]*fileHandle
	nonces   *oracle.Nonces
	purse    *spending.Purse // nil: no limit
	arrivals *arrivals.Arrivals
	segment  arrivals.Segment
	plan     *arrivals.Plan

	begin     sync.Once
	zeroNs    int64
	stoppedNs atomic.Int64 // when the run was ended from outside; 0: it was not

	gapsOnce    sync.Once
	hasGapTrend bool
	recorder    *record.Recorder
}

func newProcess() *process {
	return &process{files: map[string]*fileHandle{}, nonces: oracle.NewNonces(), segment: arrivals.Whole}
}

func (p *process) setUp(exported any) error {
	read, written, err := readSettings(exported)
	if err != nil {
		return err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.isSetUp {
		if written != p.written {
			return errors.New("setUp was called before with other settings")
		}
		return nil
	}
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
		p.purse = spending.NewPurse(*read.MaxUnits)
	}
	p.settings, p.written, p.isSetUp = read, written, true
	return nil
}

// run begins the run at its first call: VUs are made long before they are let loose.
func (p *process) run() *record.Recorder {
	p.begin.Do(func() {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		p.zeroNs = clock.Now()
		if at := p.settings.StartAtUnixMs; at != nil {
			p.zeroNs = clock.At(*at)
		}
		p.recorder = record.New(p.settings.recordLimits(), p.zeroNs)
		if p.progress != nil || p.events != nil {
			go p.tell()
		}
	})
	return p.recorder
}

// tell writes on each full second of the run, as long as the process lives.
func (p *process) tell() {
	reader := theRunner()
	for {
		elapsed := time.Duration(clock.Now() - p.zeroNs)
		time.Sleep(time.Second - elapsed%time.Second)
		p.tellOnce()
		if p.progress != nil && reader.isGone() {
			endSelf()
			return
		}
	}
}

func (p *process) tellOnce() {
	if p.progress != nil {
		p.progress.Write(p.recorder.Progress())
		p.progress.Flush()
	}
	if p.events != nil {
		p.events.Flush()
	}
}

// startPlan gives the plan, and begins it at its first call.
func (p *process) startPlan(segment func() (arrivals.Segment, error)) (*arrivals.Plan, error) {
	p.run()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.plan != nil {
		return p.plan, nil
	}
	part, err := segment()
	if err != nil {
		return nil, err
	}
	p.segment = part
	p.plan = arrivals.Start(context.Background(), *p.arrivals, part, p.zeroNs)
	return p.plan, nil
}

// noteStop is called by whoever finds that the run was ended. The first one counts.
func (p *process) noteStop() { p.stoppedNs.CompareAndSwap(0, clock.Now()) }

// justDue is how long an arrival may wait without being late: what was due a moment before the end of a run was not dropped.
const justDue = 100 * time.Millisecond

func (p *process) planResult() *record.PlanResult {
	if p.arrivals == nil {
		return nil
	}
	planned := arrivals.Share(len(p.arrivals.AtMs), p.segment)
	result := &record.PlanResult{Planned: planned, Due: planned}
	if p.plan == nil {
		return result
	}
	result.Taken = p.plan.Taken()
	if stoppedNs := p.stoppedNs.Load(); stoppedNs != 0 {
		result.Due = p.plan.DueBy(stoppedNs - int64(justDue))
	}
	return result
}

func (p *process) result() string {
	recorder := p.run()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.tellOnce()
	result := recorder.Result(p.segment, p.planResult())
	if p.purse != nil {
		result.OutOfCredits = p.purse.End()
	}
	encoded, err := json.Marshal(result)
	if err != nil {
		panic(err) // numbers and strings
	}
	return string(encoded)
}
