package record

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"touchstone/k6/clock"
)

func decode(t *testing.T, samples *SamplesResult) *hdrhistogram.Histogram {
	t.Helper()
	decoded, err := hdrhistogram.Decode([]byte(samples.Encoded))
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

// Chooses the true durations at random within the bounds of each sample.
func TestPercentilesOfTheEndsContainThoseOfTheTrueDurations(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	h := newBoundedHistogram()
	var trueUs []int64
	for index := range 3000 {
		bounds := clock.Exactly(random.Int64N(20_000) * 1000)
		if index >= 100 && random.IntN(2) == 0 {
			bounds.High += random.Int64N(30_000) * 1000
		}
		trueUs = append(trueUs, (bounds.Low+random.Int64N(bounds.High-bounds.Low+1))/1000)
		h.addBounded(bounds.High, bounds, true, 1)
	}
	slices.Sort(trueUs)
	result := h.result(true)
	low, high := decode(t, result.Low), decode(t, result.High)
	for _, percent := range []int{1, 10, 50, 90, 99, 100} {
		is := trueUs[max(0, percent*len(trueUs)/100-1)]
		from, to := low.ValueAtPercentile(float64(percent)), high.ValueAtPercentile(float64(percent))
		// A bucket is at most 2 µs wide at these values.
		if is < from-2 || is > to+2 {
			t.Errorf("p%d is %d µs, and the bounds are %d and %d", percent, is, from, to)
		}
	}
	if low.TotalCount() != 3000 || result.Low.N != 3000 || result.Low.SumMs >= result.SumMs || result.High.SumMs != result.SumMs {
		t.Errorf("%+v, %+v", result.Low, result.High)
	}
}

func TestEndsOfExactDurationsEqualTheDurations(t *testing.T) {
	result := run(NoLimits, sample(func(s *Sample) {
		s.IsBounded, s.TTFTBounds = true, clock.Bounds{Low: 4 * ms, High: 10 * ms}
		s.TPOTBounds, s.E2EBounds = clock.Exactly(s.TPOT), clock.Exactly(s.E2E)
	})).Operations["chat-stream"].Histograms
	itls, ttft := result["itlMs"], result["ttftMs"]
	if *itls.Low != itls.SamplesResult || *itls.High != itls.SamplesResult {
		t.Errorf("%+v", itls)
	}
	if ttft.Low.MinMs != 4 || ttft.Low.MaxMs != 4 || ttft.Low.SumMs != 4 || *ttft.High != ttft.SamplesResult {
		t.Errorf("%+v, %+v", ttft.Low, ttft.High)
	}
	if result["startLagMs"].Low != nil {
		t.Error("the start lag has no bounds")
	}
}

func TestOmitsTheBoundsIfTheyAreNotKnownForAllDurations(t *testing.T) {
	known := sample(func(s *Sample) { s.IsBounded = true })
	result := run(NoLimits, known, sample(func(*Sample) {})).Operations["chat-stream"].Histograms
	if itls := result["itlMs"]; itls.N != 4 || itls.Low != nil || itls.High != nil {
		t.Errorf("%+v", itls)
	}
}
