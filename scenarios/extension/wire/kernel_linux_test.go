package wire

import (
	"net"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"touchstone/k6/clock"
)

// waitForBytes returns when the kernel has received bytes that were not read yet.
func waitForBytes(t *testing.T, conn *Conn) {
	t.Helper()
	raw, err := conn.Conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for waiting := int32(0); waiting == 0; time.Sleep(time.Millisecond) {
		var errno syscall.Errno
		err := raw.Control(func(fd uintptr) {
			_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&waiting)))
		})
		if err != nil || errno != 0 {
			t.Fatal(err, errno)
		}
	}
}

func TestReportsWhenTheKernelReceivedBytes(t *testing.T) {
	near, far := pair(t)
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
		if at := near.ReceivedNs(); at < sentNs-int64(time.Millisecond) || at >= readNs {
			t.Errorf("received %d µs after the write, read %d µs after it", (at-sentNs)/1000, (readNs-sentNs)/1000)
		}
	}
}
