package record

import "touchstone/k6/clock"

// Events is a line of the events file. The calibration joins it with the server's record of the same response. The last
// five fields have values only if requests have IDs. All times are milliseconds from the earliest possible start of
// the request to the latest possible times of the events.
type Events struct {
	Operation  string    `json:"operation"`
	IsWarmUp   bool      `json:"isWarmUp,omitempty"`
	RequestID  *string   `json:"requestId"`
	AtMs       []float64 `json:"atMs"`
	Tokens     []int64   `json:"tokens"`
	FirstText  int       `json:"firstText"`
	E2EMs      float64   `json:"e2eMs"`
	IsComplete bool      `json:"isComplete"`

	Bounds *EventBounds `json:"bounds,omitempty"` // nil if the times have no bounds

	Status          int    `json:"status,omitempty"`
	ClientRequestID string `json:"clientRequestId,omitempty"`
	CompletionID    string `json:"completionId,omitempty"`
	HasUsage        *bool  `json:"hasUsage,omitempty"`
	TextSha256      string `json:"textSha256,omitempty"`
}

// EventBounds has the opposite bounds of the times in Events: the latest possible start of the request, and the
// earliest possible times of the events.
type EventBounds struct {
	StartMs float64   `json:"startMs"`
	TokenMs []float64 `json:"tokenMs"` // of each token event
	E2EMs   float64   `json:"e2eMs"`
}

// Since returns the milliseconds from a start to each instant.
func Since(startNs int64, instants []int64) []float64 {
	ms := make([]float64, len(instants))
	for index, at := range instants {
		ms[index] = clock.Ms(at - startNs)
	}
	return ms
}
