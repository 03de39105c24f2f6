package wire

import (
	"net"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"touchstone/k6/clock"
)

// waitForBytes waits until the kernel has received bytes that nobody has read.
func waitForBytes(t *testing.T, conn *Conn) {
	t.Helper()
	raw, err := conn.Conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for countWaiting(t, raw) == 0 {
		time.Sleep(time.Millisecond)
	}
}

// countWaiting returns the number of received bytes that nobody has read.
func countWaiting(t *testing.T, raw syscall.RawConn) int32 {
	t.Helper()
	var waiting int32
	var errno syscall.Errno
	err := raw.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&waiting)))
	})
	if err != nil || errno != 0 {
		t.Fatal(err, errno)
	}
	return waiting
}

// waitForKernelTimes waits until the kernel records times, which it starts some time after a socket requests them.
func waitForKernelTimes(t *testing.T, near *Conn, far net.Conn) {
	t.Helper()
	hasTimes.Store(false)
	buffer := make([]byte, 10)
	for range 1000 {
		if _, err := far.Write([]byte("event")); err != nil {
			t.Fatal(err)
		}
		if _, err := near.Read(buffer); err != nil {
			t.Fatal(err)
		}
		if HasKernelTimes() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the kernel reports no times")
}

func TestReportsWhenTheKernelReceivedBytes(t *testing.T) {
	near, far := pair(t)
	waitForKernelTimes(t, near, far)
	near.Received(false, false)
	buffer := make([]byte, 10)
	for range 3 {
		sentNs := clock.Now()
		if _, err := far.Write([]byte("event")); err != nil {
			t.Fatal(err)
		}
		waitForBytes(t, near)
		readNs := clock.Now()
		n, err := near.Read(buffer)
		if n != 5 || err != nil || string(buffer[:n]) != "event" {
			t.Fatalf("%d %v %q", n, err, buffer[:n])
		}
		if at := near.Received(false, false); at.Low != at.High || at.High < sentNs-int64(time.Millisecond) || at.High >= readNs {
			t.Errorf("received %v, written at %d, read at %d", at, sentNs, readNs)
		}
	}
}

// The kernel reports only the time of the last segment. The first segment arrived at an unknown time since the socket
// was empty.
func TestBoundsTheTimesOfSegmentsThatWereReadTogether(t *testing.T) {
	near, far := pair(t)
	waitForKernelTimes(t, near, far)
	near.Received(false, false)
	sentNs := clock.Now()
	for index := range 2 {
		if _, err := far.Write([]byte("event")); err != nil {
			t.Fatal(err)
		}
		if index == 0 {
			waitForBytes(t, near)
			time.Sleep(5 * time.Millisecond)
		}
	}
	for {
		if raw, _ := near.Conn.(*net.TCPConn).SyscallConn(); countWaiting(t, raw) == 10 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if n, err := near.Read(make([]byte, 20)); n != 10 || err != nil {
		t.Fatal(n, err)
	}
	at := near.Received(false, false)
	if at.Low > sentNs || at.High < sentNs+int64(5*time.Millisecond) || near.LastByte() != clock.Exactly(at.High) {
		t.Errorf("received %v, the last byte %v, the first written at %d", at, near.LastByte(), sentNs)
	}
}

// The end of the stream overwrites the time of the bytes before it, if nobody has read them.
func TestBoundsTheTimeOfBytesBeforeTheEndOfTheStream(t *testing.T) {
	near, far := pair(t)
	waitForKernelTimes(t, near, far)
	near.Received(false, false)
	if _, err := far.Write([]byte("event")); err != nil {
		t.Fatal(err)
	}
	waitForBytes(t, near)
	sentNs := clock.Now()
	time.Sleep(5 * time.Millisecond)
	_ = far.Close()
	time.Sleep(5 * time.Millisecond)
	if n, err := near.Read(make([]byte, 20)); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	if at, last := near.Received(false, false), near.LastByte(); at.Low > sentNs || last.Low > sentNs || last.High < at.Low {
		t.Errorf("received %v, the last byte %v, written before %d", at, last, sentNs)
	}
}

// A packet has its time before its bytes can be read, so the socket may be empty at a later time.
func TestKeepsTimesShortlyBeforeTheSocketWasEmpty(t *testing.T) {
	near, far := pair(t)
	waitForKernelTimes(t, near, far)
	near.Received(false, false)
	sentNs := clock.Now()
	if _, err := far.Write([]byte("event")); err != nil {
		t.Fatal(err)
	}
	waitForBytes(t, near)
	arrivedNs := clock.Now()
	near.kernel.emptyNs = arrivedNs + maxQueueNs/2 // as if an attempt to read had found nothing
	if _, err := near.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if at := near.Received(false, false); at.Low != at.High || at.High < sentNs-maxQueueNs/2 || at.High > arrivedNs {
		t.Errorf("received %v, written at %d, readable at %d", at, sentNs, arrivedNs)
	}
}
