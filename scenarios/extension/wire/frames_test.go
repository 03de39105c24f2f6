package wire

import (
	"slices"
	"testing"
)

func frame(kind, flags byte, stream uint32, payload string) []byte {
	n := len(payload)
	return append([]byte{byte(n >> 16), byte(n >> 8), byte(n), kind, flags, 0, 0, byte(stream >> 8), byte(stream)}, payload...)
}

func TestCountsTheBodyOfTheCurrentStream(t *testing.T) {
	const windowUpdate = 8
	sent := slices.Concat(make([]byte, prefaceBytes), frame(4, 0, 0, ""), frame(frameHeaders, 4, 5, "header"), frame(frameData, 1, 5, "{}"))
	received := slices.Concat(
		frame(windowUpdate, 0, 0, "1234"),
		frame(frameHeaders, 4, 5, "header"),
		frame(frameData, 0, 3, "of an aborted stream"),
		frame(frameData, flagPadded, 5, "\x04body\x00\x00\x00\x00"),
		frame(frameData, 0, 5, ""),
		frame(frameData, flagPadded, 5, "\x00more"),
		frame(frameData, flagEndStream, 3, ""),
		frame(frameData, flagEndStream, 5, "end"),
	)
	for _, step := range []int{1, 3, 10, 1000} {
		s := &streamCounter{}
		s.begin()
		for part := range slices.Chunk(sent, step) {
			s.send(part)
		}
		bodyBytes, endedAfter, at := 0, 0, 0
		for part := range slices.Chunk(received, step) {
			bodyBytes += s.receive(part)
			if at += len(part); s.hasEnded && endedAfter == 0 {
				endedAfter = at
			}
		}
		if bodyBytes != len("bodymoreend") || endedAfter != len(received) {
			t.Errorf("with %d bytes at a time: %d bytes, ended after %d of %d", step, bodyBytes, endedAfter, len(received))
		}
	}
}

func TestAnEndStreamFlagInTrailersEndsTheResponse(t *testing.T) {
	s := &streamCounter{prefaceBytes: prefaceBytes}
	s.send(frame(frameHeaders, 4, 1, "header"))
	s.receive(frame(frameData, 0, 1, "body"))
	if s.hasEnded {
		t.Error("ended too early")
	}
	if s.receive(frame(frameHeaders, flagEndStream, 1, "trailer")); !s.hasEnded {
		t.Error("did not end")
	}
	s.begin()
	if s.send(frame(frameHeaders, 4, 3, "header")); s.hasEnded || s.stream != 3 || s.isAmbiguous {
		t.Errorf("%+v", s)
	}
}

func TestCountsNothingIfTwoRequestsShareTheConnection(t *testing.T) {
	s := &streamCounter{prefaceBytes: prefaceBytes}
	s.send(frame(frameHeaders, 4, 1, "header"))
	s.send(frame(frameHeaders, 4, 3, "header"))
	if n := s.receive(frame(frameData, flagEndStream, 3, "body")); n != 0 || s.hasEnded {
		t.Errorf("%d bytes, ended: %v", n, s.hasEnded)
	}
}
