// Package streamcheck checks chat streams for violations while they are read.
package streamcheck

import (
	"fmt"

	"touchstone/k6/chunk"
)

// Violation is an error in a stream. Kind groups violations for counting.
type Violation struct{ Kind, Sentence string }

// Checker checks one stream. It checks roles and finish reasons only in streams whose chunks have choices.
type Checker struct {
	events, contents int64
	id, finish       string
	hasChoices       bool
	isDone           bool
	usage            *chunk.Usage
	found            []Violation
}

// Reset prepares the checker for the next stream.
func (s *Checker) Reset() { *s = Checker{} }

// ID returns the completion ID of the chunks that have been checked.
func (s *Checker) ID() string { return s.id }

// Repeat checks a chunk that differs from the previous one only in its text or its reasoning.
func (s *Checker) Repeat(c *chunk.Chunk) {
	s.events++
	if c.HasContent {
		s.noteContent()
	}
	s.noteAfterDone()
}

// Chunk checks a chunk.
func (s *Checker) Chunk(c *chunk.Chunk) {
	s.events++
	s.noteAfterDone()
	if !c.IsJSON && !c.HasContent {
		s.note("not-json", fmt.Sprintf("event %d is not JSON", s.events))
		return
	}
	s.noteID(c.ID)
	if c.HasChoices {
		s.noteRole(c.Role)
	}
	if c.HasContent {
		s.noteContent()
	}
	s.noteFinish(c.Finish)
	if c.Usage != nil {
		s.usage = c.Usage
	}
}

// Done checks the event [DONE].
func (s *Checker) Done() {
	s.noteAfterDone()
	s.isDone = true
}

// End returns the violations. Missing chunks of an aborted or truncated stream are not violations.
func (s *Checker) End(isWhole bool) []Violation {
	if !isWhole {
		return s.found
	}
	if !s.isDone {
		s.note("done-missing", fmt.Sprintf("the stream ended after %d events without [DONE]", s.events))
	}
	if s.hasChoices && s.finish == "" {
		s.note("finish-missing", fmt.Sprintf("none of %d events has a finish_reason", s.events))
	}
	s.checkUsage()
	return s.found
}

// checkUsage compares usage with the number of events with text. Each of them contains at least one token.
func (s *Checker) checkUsage() {
	if s.usage != nil && s.usage.Completion < s.contents {
		s.note("usage", fmt.Sprintf("usage says %d completion tokens where %d events have text", s.usage.Completion, s.contents))
	}
}

func (s *Checker) noteAfterDone() {
	if s.isDone {
		s.note("after-done", "something comes after [DONE]")
	}
}

func (s *Checker) noteID(id string) {
	if s.id == "" {
		s.id = id
	} else if id != s.id {
		s.note("id-changed", fmt.Sprintf("event %d has id %q, those before %q", s.events, id, s.id))
	}
}

func (s *Checker) noteRole(role string) {
	if !s.hasChoices && role == "" {
		s.note("role-not-first", "the first chunk has no role")
	}
	s.hasChoices = true
}

func (s *Checker) noteContent() {
	s.contents++
	if s.finish != "" {
		s.note("content-after-finish", fmt.Sprintf("event %d has text after finish_reason %q", s.events, s.finish))
	}
}

func (s *Checker) noteFinish(finish string) {
	if finish == "" {
		return
	}
	if s.finish != "" {
		s.note("finish-repeated", fmt.Sprintf("event %d has finish_reason %q after %q", s.events, finish, s.finish))
	}
	s.finish = finish
}

// note keeps only the first violation of each kind, so that a violation in every event is reported once.
func (s *Checker) note(kind, sentence string) {
	for _, v := range s.found {
		if v.Kind == kind {
			return
		}
	}
	s.found = append(s.found, Violation{kind, sentence})
}
