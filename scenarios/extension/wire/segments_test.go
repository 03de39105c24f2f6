package wire

import "testing"

func TestFindsReadsOfOneSegment(t *testing.T) {
	type step struct {
		counts    segmentCounts // counts of the kernel after the read
		n         int
		isDrained bool
		isSingle  bool
	}
	for name, steps := range map[string][]step{
		"one segment for each read": {{segmentCounts{10, 1}, 10, true, true}, {segmentCounts{30, 2}, 20, true, true}},
		"two segments in one read":  {{segmentCounts{30, 2}, 30, true, false}, {segmentCounts{40, 3}, 10, true, true}},
		"a segment in two reads":    {{segmentCounts{30, 1}, 16, false, true}, {segmentCounts{30, 1}, 14, true, true}},
		"a segment after the read": {
			{segmentCounts{30, 2}, 10, true, true}, {segmentCounts{30, 2}, 20, true, true}, {segmentCounts{50, 4}, 20, true, false},
		},
		// The end of the stream counts as a byte, so the read may have returned bytes of both segments.
		"the end after the read": {{segmentCounts{31, 2}, 30, true, false}},
		"a full buffer":          {{segmentCounts{40, 2}, 30, false, false}, {segmentCounts{40, 2}, 10, true, false}},
		"several segments after the read": {
			{segmentCounts{40, 3}, 10, true, false}, {segmentCounts{40, 3}, 30, true, false}, {segmentCounts{50, 4}, 10, true, true},
		},
		"counts that are not reported": {{segmentCounts{}, 10, true, false}, {segmentCounts{}, 10, true, false}},
	} {
		counter := segmentCounter{}
		for index, s := range steps {
			counter.read(s.counts, s.n, s.isDrained)
			if counter.isSingle != s.isSingle {
				t.Errorf("%s: read %d: isSingle is %v", name, index, counter.isSingle)
			}
		}
	}
}
