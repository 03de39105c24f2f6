package streamcheck

import (
	"slices"
	"testing"

	"touchstone/k6/chunk"
)

const (
	role    = `{"id":"c","choices":[{"delta":{"role":"assistant","content":""},"finish_reason":null}]}`
	content = `{"id":"c","choices":[{"delta":{"content":"a"},"finish_reason":null}]}`
	finish  = `{"id":"c","choices":[{"delta":{},"finish_reason":"stop"}]}`
	usage2  = `{"id":"c","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}`
	other   = `{"id":"d","choices":[{"delta":{"content":"a"},"finish_reason":null}]}`
	done    = "[DONE]"

	reasoning = `{"id":"c","choices":[{"delta":{"reasoning_content":"a"}}]}`
)

func watch(isWhole bool, stream ...string) []string {
	s := &Checker{}
	var chunks chunk.Reader
	chunks.Reset()
	for _, data := range stream {
		if data == done {
			s.Done()
			continue
		}
		if c, isRepeat := chunks.Read([]byte(data)); isRepeat {
			s.Repeat(c)
		} else {
			s.Chunk(c)
		}
	}
	var kinds []string
	for _, v := range s.End(isWhole) {
		kinds = append(kinds, v.Kind)
	}
	return kinds
}

func TestFindsViolations(t *testing.T) {
	cases := []struct {
		name          string
		stream, kinds []string
	}{
		{"a good one", []string{role, content, content, finish, usage2, done}, nil},
		{"one without usage", []string{role, content, finish, done}, nil},
		{"no role", []string{content, finish, done}, []string{"role-not-first"}},
		{"a late role", []string{content, role, finish, done}, []string{"role-not-first"}},
		{"no finish", []string{role, content, done}, []string{"finish-missing"}},
		{"two ends", []string{role, finish, finish, done}, []string{"finish-repeated"}},
		{"text after the end", []string{role, content, finish, content, done}, []string{"content-after-finish"}},
		{"no [DONE]", []string{role, content, finish}, []string{"done-missing"}},
		{"two [DONE]", []string{role, finish, done, done}, []string{"after-done"}},
		{"text after [DONE]", []string{role, content, finish, done, content},
			[]string{"after-done", "content-after-finish"}},
		{"a repeat after [DONE]", []string{role, content, done, content}, []string{"after-done", "finish-missing"}},
		{"another's chunk", []string{role, content, other, other, finish, done}, []string{"id-changed"}},
		{"no JSON", []string{role, "{", "{", finish, done}, []string{"not-json"}},
		{"fewer tokens than texts", []string{role, content, content, content, finish, usage2, done}, []string{"usage"}},
		{"more events with reasoning than tokens", []string{role, reasoning, reasoning, reasoning, finish, usage2, done}, nil},
		{"more tokens than texts", []string{role, content, finish, usage2, done}, nil},
		{"nothing", nil, []string{"done-missing"}},
		{"another shape", []string{`{"delta":"a"}`, done}, nil},
	}
	for _, c := range cases {
		kinds := watch(true, c.stream...)
		if !slices.Equal(kinds, c.kinds) {
			t.Errorf("%s: %q, not %q", c.name, kinds, c.kinds)
		}
	}
}

func TestReportsNoMissingPartsOfAbortedStreams(t *testing.T) {
	if kinds := watch(false, role, content); kinds != nil {
		t.Errorf("%q", kinds)
	}
	if kinds := watch(false, role, content, other); !slices.Equal(kinds, []string{"id-changed"}) {
		t.Errorf("%q", kinds)
	}
}
