// Package oracle watches streams for what no stream of chat may do, while they are read.
package oracle

import (
	"fmt"

	"touchstone/k6/chunk"
)

// Violation is something wrong with one stream: a short kind, to count by, and a sentence.
type Violation struct{ Kind, Sentence string }

// Stream watches one stream. What it says of roles and ends holds for streams of the common shape only.
type Stream struct {
	// TokenPerEvent says that the target sends each token as an event of its own.
	TokenPerEvent bool

	events, contents int64
	id, finish       string
	hasChoices       bool
	isDone           bool
	usage            *chunk.Usage
	found            []Violation
}

// Reset makes it ready for another stream.
func (s *Stream) Reset() { *s = Stream{TokenPerEvent: s.TokenPerEvent} }

// Repeat notes a chunk that is as the one before but for its text.
func (s *Stream) Repeat(hasContent bool) {
	s.events++
	if hasContent {
		s.noteContent()
	}
	s.noteAfterDone()
}

// Chunk notes a chunk.
func (s *Stream) Chunk(c *chunk.Chunk) {
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

// Done notes the event [DONE].
func (s *Stream) Done() {
	s.noteAfterDone()
	s.isDone = true
}

// End gives what was found. A stream that was left, or cut, is not blamed for what it lacks.
func (s *Stream) End(isWhole bool) []Violation {
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

// An event with text stands for a token at least; that it stands for no more has to be known of the target.
func (s *Stream) checkUsage() {
	if s.usage == nil {
		return
	}
	tokens := s.usage.Completion
	if tokens < s.contents || (s.TokenPerEvent && tokens != s.contents) {
		s.note("usage", fmt.Sprintf("usage says %d completion tokens where %d events have text", tokens, s.contents))
	}
}

func (s *Stream) noteAfterDone() {
	if s.isDone {
		s.note("after-done", "something comes after [DONE]")
	}
}

func (s *Stream) noteID(id string) {
	if s.id == "" {
		s.id = id
	} else if id != s.id {
		s.note("id-changed", fmt.Sprintf("event %d has id %q, those before %q", s.events, id, s.id))
	}
}

func (s *Stream) noteRole(role string) {
	if !s.hasChoices && role == "" {
		s.note("role-not-first", "the first chunk has no role")
	}
	s.hasChoices = true
}

func (s *Stream) noteContent() {
	s.contents++
	if s.finish != "" {
		s.note("content-after-finish", fmt.Sprintf("event %d has text after finish_reason %q", s.events, s.finish))
	}
}

func (s *Stream) noteFinish(finish string) {
	if finish == "" {
		return
	}
	if s.finish != "" {
		s.note("finish-repeated", fmt.Sprintf("event %d has finish_reason %q after %q", s.events, finish, s.finish))
	}
	s.finish = finish
}

// note keeps the first of each kind: a stream that is wrong throughout is one finding.
func (s *Stream) note(kind, sentence string) {
	for _, v := range s.found {
		if v.Kind == kind {
			return
		}
	}
	s.found = append(s.found, Violation{kind, sentence})
}
