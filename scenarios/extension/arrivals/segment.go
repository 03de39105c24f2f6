// Package arrivals passes planned arrivals to VUs when they are due.
package arrivals

import (
	"fmt"

	"go.k6.io/k6/v2/lib"
)

// Segment is the share of a plan that one process runs: the arrivals i with i mod Count = Index.
type Segment struct {
	Index int `json:"index"`
	Count int `json:"count"`
}

// Whole is the segment of a process that runs a plan alone.
var Whole = Segment{Index: 0, Count: 1}

// SegmentOf converts k6's execution segment. It returns an error unless all segments of the run have the same size.
func SegmentOf(segment *lib.ExecutionSegment, sequence *lib.ExecutionSegmentSequence) (Segment, error) {
	if segment == nil {
		return Whole, nil
	}
	count := int64(1/segment.FloatLength() + 0.5)
	parts, err := (*lib.ExecutionSegment)(nil).Split(count)
	if err != nil {
		return Whole, err
	}
	if sequence != nil && len(*sequence) > 0 && int64(len(*sequence)) != count {
		return Whole, fmt.Errorf("planned arrivals need an execution segment sequence of equal segments, not %s", sequence)
	}
	for index, part := range parts {
		if part.Equal(segment) {
			return Segment{Index: index, Count: int(count)}, nil
		}
	}
	return Whole, fmt.Errorf("planned arrivals need one of several equal execution segments, such as 1/4:2/4, not %s", segment)
}
