//go:build linux && (amd64 || arm64)

package wire

import (
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"touchstone/k6/clock"
)

// kernelReader reads from a TCP socket with recvmsg, which reports when the kernel received the bytes. Only one
// goroutine may use it at a time.
type kernelReader struct {
	raw       syscall.RawConn
	receive   func(fd uintptr) bool // allocated once
	message   syscall.Msghdr
	vector    syscall.Iovec
	control   control
	n         int
	errno     syscall.Errno
	attemptNs int64 // start of the last recvmsg
	hasWaited bool  // whether the last read found nothing at first, and waited
	emptyNs   int64 // the socket was empty at this instant or later
	segments  segmentCounter
}

// control is the control message that SO_TIMESTAMPNS adds to received data.
type control struct {
	header syscall.Cmsghdr
	time   syscall.Timespec
}

var hasTimes atomic.Bool

// HasKernelTimes reports whether the kernel has reported the receive time of any bytes. Some kernels accept
// SO_TIMESTAMPNS and ignore it.
func HasKernelTimes() bool { return hasTimes.Load() }

// enableKernelTimes opens a socket with SO_TIMESTAMPNS, and keeps it open. The kernel starts to record times a few
// milliseconds after the first socket requests them.
func enableKernelTimes() {
	if fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0); err == nil {
		_ = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1)
	}
}

// openKernelReader returns nil if the connection is not TCP or if the kernel rejects SO_TIMESTAMPNS.
func openKernelReader(conn net.Conn) *kernelReader {
	tcp, is := conn.(*net.TCPConn)
	if !is {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	k := &kernelReader{raw: raw, emptyNs: clock.Now()}
	var rejected error
	err = raw.Control(func(fd uintptr) {
		rejected = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1)
	})
	if err != nil || rejected != nil {
		return nil
	}
	k.receive = k.receiveFrom
	return k
}

// read reads from the socket, and returns the time at which the kernel received the bytes. The bounds are wide if the
// kernel does not report the time.
func (k *kernelReader) read(conn net.Conn, into []byte) (int, arrival, error) {
	if len(into) == 0 {
		return 0, k.unknown(), nil
	}
	k.vector = syscall.Iovec{Base: &into[0]}
	k.vector.SetLen(len(into))
	k.hasWaited = false
	err := k.raw.Read(k.receive)
	k.vector.Base = nil
	switch {
	case err != nil: // closed, or past its deadline
		return 0, k.unknown(), err
	case k.errno != 0:
		cause := os.NewSyscallError("recvmsg", k.errno)
		return 0, k.unknown(), &net.OpError{Op: "read", Net: "tcp", Source: conn.LocalAddr(), Addr: conn.RemoteAddr(), Err: cause}
	case k.n == 0:
		return 0, k.unknown(), io.EOF
	}
	got := k.arrived()
	if isDrained := k.n < len(into); isDrained {
		k.emptyNs = k.attemptNs
	}
	return k.n, got, nil
}

// receiveFrom calls recvmsg. It returns false if the socket must become readable first.
func (k *kernelReader) receiveFrom(fd uintptr) bool {
	for {
		k.attemptNs = clock.Now()
		k.message = syscall.Msghdr{Iov: &k.vector, Iovlen: 1, Control: (*byte)(unsafe.Pointer(&k.control))}
		k.message.SetControllen(int(unsafe.Sizeof(k.control)))
		n, _, errno := syscall.RawSyscall(syscall.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&k.message)), 0)
		switch errno {
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			k.emptyNs, k.hasWaited = k.attemptNs, true
			return false
		}
		k.n, k.errno = int(n), errno
		if errno == 0 && n > 0 {
			k.segments.read(readCounts(fd), k.n, k.n < int(k.vector.Len))
		}
		return true
	}
}

// maxQueueNs is an upper bound of the time from the kernel's timestamp of a packet until its bytes can be read, unless
// interrupts are delayed.
const maxQueueNs = int64(100 * time.Microsecond)

// earliest returns the earliest possible arrival of the bytes of the next read. The kernel may already have received
// them when the socket was empty.
func (k *kernelReader) earliest() int64 { return k.emptyNs - maxQueueNs }

func (k *kernelReader) unknown() arrival {
	between := clock.Bounds{Low: k.earliest(), High: clock.Now()}
	return arrival{Bounds: between, end: between, hasWaited: k.hasWaited}
}

// arrived returns the arrival of the bytes of the last recvmsg. The kernel reports only the time of the last segment. If
// the end of the stream arrived in a segment of its own, the kernel reports the time of this segment.
func (k *kernelReader) arrived() arrival {
	isTime := uint64(k.message.Controllen) >= uint64(unsafe.Sizeof(k.control)) &&
		k.control.header.Level == syscall.SOL_SOCKET && k.control.header.Type == syscall.SCM_TIMESTAMPNS
	if !isTime {
		return k.unknown()
	}
	hasTimes.Store(true)
	ns, unixNs := clock.NowWithUnix()
	atNs := max(ns-max(0, unixNs-k.control.time.Nano()), k.earliest())
	got := exactly(atNs)
	got.hasWaited = k.hasWaited
	if !k.segments.isSingle || k.segments.hasEnd {
		got.Low = k.earliest()
	}
	if k.segments.hasEnd {
		got.end = got.Bounds
	}
	return got
}

// tcpInfo is the beginning of struct tcp_info in linux/tcp.h.
type tcpInfo struct {
	_             [128]byte
	bytesReceived uint64
	_             [16]byte
	dataSegsIn    uint32
	_             uint32
}

// readCounts reads the byte and segment counts of a socket. It returns 0 for both if the kernel does not report them.
func readCounts(fd uintptr) segmentCounts {
	var info tcpInfo
	size := uint32(unsafe.Sizeof(info))
	_, _, errno := syscall.RawSyscall6(syscall.SYS_GETSOCKOPT, fd, syscall.IPPROTO_TCP, syscall.TCP_INFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 || uintptr(size) < unsafe.Offsetof(info.dataSegsIn)+4 {
		return segmentCounts{}
	}
	return segmentCounts{info.bytesReceived, info.dataSegsIn}
}
