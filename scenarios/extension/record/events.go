package record

import "touchstone/k6/clock"

// Events is a line of the events file. The calibration joins it with the server's record of the same response. The
// last three fields have values only if requests are identified.
type Events struct {
	Operation  string    `json:"operation"`
	IsFirst    bool      `json:"isFirst"`
	RequestID  *string   `json:"requestId"`
	AtMs       []float64 `json:"atMs"`
	Content    []int64   `json:"content"`
	E2EMs      float64   `json:"e2eMs"`
	BodySha256 *string   `json:"bodySha256"`

	Status          int    `json:"status,omitempty"`
	ClientRequestID string `json:"clientRequestId,omitempty"`
	CompletionID    string `json:"completionId,omitempty"`
}

// Since returns the milliseconds from a start to each instant.
func Since(startNs int64, instants []int64) []float64 {
	ms := make([]float64, len(instants))
	for index, at := range instants {
		ms[index] = clock.Ms(at - startNs)
	}
	return ms
}
