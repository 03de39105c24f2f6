package main

import (
	"net"
	"syscall"
	"time"
	"unsafe"
)

// openReceiver returns a function that reads from a connection and reports the time at which the kernel received the last
// segment of the bytes. It also reports when there was nothing to read before them, if they may have come in several
// segments, and otherwise the same time.
func openReceiver(conn net.Conn) receiver {
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		panic(err)
	}
	_ = raw.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1) })
	beganMs := nowMs()
	emptyMs, segments := beganMs, uint32(0)
	return func(into []byte) (int, interval, float64, error) {
		var n, controlBytes int
		var received uint32
		var failed error
		control := make([]byte, 64)
		err := raw.Read(func(fd uintptr) bool {
			triedMs := nowMs()
			n, controlBytes, _, _, failed = syscall.Recvmsg(int(fd), into, control, 0)
			if failed == syscall.EAGAIN {
				emptyMs = triedMs
				return false
			}
			received = countSegments(fd)
			return true
		})
		arrived := interval{beganMs, nowMs()}
		if failed == nil && controlBytes >= syscall.CmsgLen(int(unsafe.Sizeof(syscall.Timespec{}))) {
			at := *(*syscall.Timespec)(unsafe.Pointer(&control[syscall.CmsgLen(0)]))
			exact := arrived[1] - float64(time.Since(time.Unix(at.Unix())))/1e6
			arrived = interval{exact, exact}
		}
		earliestMs := min(emptyMs, arrived[0])
		if received-segments == 1 {
			earliestMs = arrived[0]
		}
		segments, beganMs = received, nowMs()
		if err != nil || failed != nil || n > 0 {
			return max(n, 0), arrived, earliestMs, firstOf(err, failed)
		}
		n, err = conn.Read(into) // the end of the stream
		return n, arrived, earliestMs, err
	}
}

// countSegments returns the number of data segments that a connection has received: the field tcpi_data_segs_in of struct
// tcp_info.
func countSegments(fd uintptr) uint32 {
	info := [192]byte{}
	size := uint32(len(info))
	_, _, _ = syscall.RawSyscall6(syscall.SYS_GETSOCKOPT, fd, syscall.IPPROTO_TCP, syscall.TCP_INFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	return *(*uint32)(unsafe.Pointer(&info[152]))
}

func firstOf(errors ...error) error {
	for _, err := range errors {
		if err != nil {
			return err
		}
	}
	return nil
}
