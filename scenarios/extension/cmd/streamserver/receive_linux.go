package main

import (
	"net"
	"syscall"
	"time"
	"unsafe"
)

// openReceiver returns a function that reads from a connection and reports the time at which the kernel received the
// bytes.
func openReceiver(conn net.Conn) func(into []byte) (int, interval, error) {
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		panic(err)
	}
	_ = raw.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1) })
	beganMs := nowMs()
	return func(into []byte) (int, interval, error) {
		var n, controlBytes int
		var failed error
		control := make([]byte, 64)
		err := raw.Read(func(fd uintptr) bool {
			n, controlBytes, _, _, failed = syscall.Recvmsg(int(fd), into, control, 0)
			return failed != syscall.EAGAIN
		})
		arrived := interval{beganMs, nowMs()}
		if failed == nil && controlBytes >= syscall.CmsgLen(int(unsafe.Sizeof(syscall.Timespec{}))) {
			at := *(*syscall.Timespec)(unsafe.Pointer(&control[syscall.CmsgLen(0)]))
			exact := arrived[1] - float64(time.Since(time.Unix(at.Unix())))/1e6
			arrived = interval{exact, exact}
		}
		beganMs = nowMs()
		if err != nil || failed != nil || n > 0 {
			return max(n, 0), arrived, firstOf(err, failed)
		}
		n, err = conn.Read(into) // the end of the stream
		return n, arrived, err
	}
}

func firstOf(errors ...error) error {
	for _, err := range errors {
		if err != nil {
			return err
		}
	}
	return nil
}
