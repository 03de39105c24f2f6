package record

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"touchstone/k6/arrivals"
	"touchstone/k6/clock"
	"touchstone/k6/streamcheck"
)

const ms = int64(time.Millisecond)

func sample(change func(*Sample)) *Sample {
	s := &Sample{Operation: "chat-stream", Model: "m", Status: 200, TTFT: 10 * ms, TextTTFT: 15 * ms, TPOT: 2 * ms, E2E: 20 * ms,
		StartLag: ms, ITLs: []int64{ms, 3 * ms}, IsStream: true, TokenEvents: 3}
	change(s)
	return s
}

func run(limits Limits, samples ...*Sample) *Result {
	r := New(map[string]Limits{"chat-stream": limits}, clock.Now())
	for _, s := range samples {
		r.Begin(s.Operation)
		r.End(s)
	}
	return r.Result(arrivals.Whole, nil, true)
}

func TestBudgetProgress(t *testing.T) {
	r := New(nil, clock.Now())
	r.Watch([]Budget{{"", "ttftMs", 10 * ms}, {"chat-stream", "itlMs", 2 * ms}, {"images", "ttftMs", ms}})
	for _, ttft := range []int64{10 * ms, 11 * ms} {
		s := sample(func(s *Sample) { s.TTFT = ttft })
		r.Begin(s.Operation)
		r.End(s)
	}
	failed := sample(func(s *Sample) { s.Operation, s.Verdict = "images", Failed })
	r.Begin(failed.Operation)
	r.End(failed)
	progress := r.Progress()
	if want := []BudgetProgress{{2, 1, 21}, {4, 2, 8}, {0, 0, 0}}; !reflect.DeepEqual(progress.Budgets, want) {
		t.Errorf("%+v, not %+v", progress.Budgets, want)
	}
	if want := (Counts{Sent: 1, Failed: 1}); progress.Counts["images"] != want {
		t.Errorf("%+v, not %+v", progress.Counts["images"], want)
	}
}

func TestCounts(t *testing.T) {
	result := run(NoLimits,
		sample(func(*Sample) {}),
		sample(func(s *Sample) { s.Status, s.Verdict, s.IsStream, s.TokenEvents, s.TTFT = 500, Failed, false, 0, None }),
		sample(func(s *Sample) { s.Verdict, s.Failure = Failed, "cut" }),
		sample(func(s *Sample) { s.Verdict = Aborted }),
		sample(func(s *Sample) { s.Status, s.IsStream, s.TokenEvents = 429, false, 0 }), // an expected error response
		sample(func(s *Sample) { s.HasUsage, s.Prompt, s.Completion = true, 7, 5 }),
		sample(func(s *Sample) { s.TokenEvents, s.TTFT, s.TextTTFT, s.ITLs, s.TPOT = 0, None, None, nil, None }),
		sample(func(s *Sample) { s.TextTTFT, s.IsCutByLength = None, true }), // reasoning only
	).Operations["chat-stream"]
	if want := (Counts{Sent: 8, OK: 5, Failed: 2, Aborted: 1, Good: 4}); result.Counts != want {
		t.Errorf("%+v, not %+v", result.Counts, want)
	}
	if want := map[string]int64{"200": 6, "429": 1, "500": 1}; !reflect.DeepEqual(result.ByStatus, want) {
		t.Errorf("%v", result.ByStatus)
	}
	if want := map[string]int64{"cut": 1}; !reflect.DeepEqual(result.ByError, want) {
		t.Errorf("%v", result.ByError)
	}
	// The tokens of truncated and aborted streams count. Those of error responses do not.
	if want := (Tokens{Responses: 6, Prompt: 7, Completion: 5 + 4*3, Estimated: 5}); *result.Tokens["m"] != want {
		t.Errorf("%+v, not %+v", *result.Tokens["m"], want)
	}
	want := OutputResult{Responses: 4, WithUsage: 1, CompletionTokens: 5, Streams: 4, WithoutToken: 1, WithoutText: 2, CutBeforeText: 1}
	if result.Output != want {
		t.Errorf("%+v, not %+v", result.Output, want)
	}
	for metric, n := range map[string]int64{"ttftMs": 4, "textTtftMs": 3, "itlMs": 8, "tpotMs": 3, "e2eMs": 4, "startLagMs": 8} {
		if result.Histograms[metric].N != n {
			t.Errorf("%s has %d samples, not %d", metric, result.Histograms[metric].N, n)
		}
	}
}

func TestLimits(t *testing.T) {
	with := func(change func(*Limits)) Limits {
		l := NoLimits
		change(&l)
		return l
	}
	for name, c := range map[string]struct {
		limits Limits
		sample *Sample
		want   bool
	}{
		"all just kept":              {Limits{10 * ms, 15 * ms, 3 * ms, 2 * ms, 20 * ms}, sample(func(*Sample) {}), true},
		"a late token":               {with(func(l *Limits) { l.TTFT = 10*ms - 1 }), sample(func(*Sample) {}), false},
		"late text":                  {with(func(l *Limits) { l.TextTTFT = 15*ms - 1 }), sample(func(*Sample) {}), false},
		"no text":                    {with(func(l *Limits) { l.TextTTFT = 15 * ms }), sample(func(s *Sample) { s.TextTTFT = None }), false},
		"one long ITL":               {with(func(l *Limits) { l.ITL = 3*ms - 1 }), sample(func(*Sample) {}), false},
		"slow tokens":                {with(func(l *Limits) { l.TPOT = 2*ms - 1 }), sample(func(*Sample) {}), false},
		"a late end":                 {with(func(l *Limits) { l.E2E = 20*ms - 1 }), sample(func(*Sample) {}), false},
		"no token":                   {with(func(l *Limits) { l.TTFT = 10 * ms }), sample(func(s *Sample) { s.TTFT = None }), false},
		"one token":                  {with(func(l *Limits) { l.TPOT = ms }), sample(func(s *Sample) { s.TPOT = None }), true},
		"failed":                     {NoLimits, sample(func(s *Sample) { s.Verdict = Failed }), false},
		"left":                       {NoLimits, sample(func(s *Sample) { s.Verdict = Aborted }), false},
		"an expected error response": {NoLimits, sample(func(s *Sample) { s.Status = 402 }), false},
	} {
		if got := c.limits.AreMetBy(c.sample); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Merging the histograms of several processes must give the same buckets as one histogram of all samples.
func TestMergesHistogramsExactly(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	whole := newHistogram(4)
	parts := []*histogram{newHistogram(4), newHistogram(4), newHistogram(4)}
	for index := range 30_000 {
		ns := int64(random.ExpFloat64() * 1e8)
		whole.add(ns)
		parts[index%3].add(ns)
	}
	merged := hdrhistogram.New(1, highestUs, 4)
	for _, part := range parts {
		decoded, err := hdrhistogram.Decode([]byte(part.encode()))
		if err != nil {
			t.Fatal(err)
		}
		if dropped := merged.Merge(decoded); dropped != 0 {
			t.Errorf("%d dropped", dropped)
		}
	}
	if !reflect.DeepEqual(merged.Export().Counts, whole.hdr.Export().Counts) {
		t.Error("the merged histogram is another than that of all")
	}
}

func TestHistogramAtItsLimits(t *testing.T) {
	h := newHistogram(4)
	for _, ns := range []int64{0, 499, 500, 3 * int64(time.Hour)} {
		h.add(ns)
	}
	got := h.result()
	if got.N != 4 || got.MinMs != 0 || got.MaxMs != 3*3600*1000 || got.SumMs != 3*3600*1000+0.000999 {
		t.Errorf("%+v", got)
	}
	if h.hdr.TotalCount() != 4 {
		t.Errorf("%d in the histogram", h.hdr.TotalCount())
	}
}

func TestKeepsAnExampleOfEachViolation(t *testing.T) {
	wrong := func(sentence string) *Sample {
		return sample(func(s *Sample) { s.Violations = []streamcheck.Violation{{Kind: "id-changed", Sentence: sentence}} })
	}
	got := run(NoLimits, wrong("first"), wrong("second"), sample(func(*Sample) {})).StreamChecks
	if got.Streams != 3 || len(got.Violations) != 1 || *got.Violations[0] != (ViolationResult{"id-changed", 2, "first"}) {
		t.Errorf("%+v", got)
	}
}

func TestARunThatEndsBeforeItsPlannedStartHasNoDuration(t *testing.T) {
	r := New(nil, clock.Now()+int64(time.Hour))
	if result := r.Result(arrivals.Segment{Count: 1}, nil, false); result.EndedAtUnixMs != result.StartedAtUnixMs {
		t.Errorf("%v to %v", result.StartedAtUnixMs, result.EndedAtUnixMs)
	}
}
