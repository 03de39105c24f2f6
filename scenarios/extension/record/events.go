package record

import "touchstone/k6/clock"

// Events is a line for each answer: what is joined with a server's own record.
type Events struct {
	Operation  string    `json:"operation"`
	RequestID  *string   `json:"requestId"`
	AtMs       []float64 `json:"atMs"`
	Content    []int64   `json:"content"`
	E2EMs      float64   `json:"e2eMs"`
	BodySha256 *string   `json:"bodySha256"`
}

// Since gives instants as milliseconds from a start.
func Since(startNs int64, instants []int64) []float64 {
	ms := make([]float64, len(instants))
	for index, at := range instants {
		ms[index] = clock.Ms(at - startNs)
	}
	return ms
}
