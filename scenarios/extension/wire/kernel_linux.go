//go:build linux && (amd64 || arm64)

package wire

import (
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"

	"touchstone/k6/clock"
)

// kernelReader reads a TCP socket with recvmsg, which reports when the kernel received the bytes. It is used by one goroutine at a time.
type kernelReader struct {
	raw     syscall.RawConn
	receive func(fd uintptr) bool // allocated once
	message syscall.Msghdr
	vector  syscall.Iovec
	control control
	n       int
	errno   syscall.Errno
}

// control is the control message that SO_TIMESTAMPNS adds to received data.
type control struct {
	header syscall.Cmsghdr
	time   syscall.Timespec
}

// openKernelReader returns nil if the connection is not TCP or if the kernel rejects the option.
func openKernelReader(conn net.Conn) *kernelReader {
	tcp, is := conn.(*net.TCPConn)
	if !is {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	var rejected error
	err = raw.Control(func(fd uintptr) {
		rejected = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1)
	})
	if err != nil || rejected != nil {
		return nil
	}
	k := &kernelReader{raw: raw}
	k.receive = k.receiveFrom
	return k
}

// read reads from the socket and returns when the kernel received the bytes, or the current time if the kernel does not report it.
func (k *kernelReader) read(conn net.Conn, into []byte) (n int, atNs int64, err error) {
	if len(into) == 0 {
		return 0, clock.Now(), nil
	}
	k.vector = syscall.Iovec{Base: &into[0]}
	k.vector.SetLen(len(into))
	err = k.raw.Read(k.receive)
	k.vector.Base = nil
	switch {
	case err != nil: // closed, or past its deadline
		return 0, clock.Now(), err
	case k.errno != 0:
		cause := os.NewSyscallError("recvmsg", k.errno)
		return 0, clock.Now(), &net.OpError{Op: "read", Net: "tcp", Source: conn.LocalAddr(), Addr: conn.RemoteAddr(), Err: cause}
	case k.n == 0:
		return 0, clock.Now(), io.EOF
	}
	return k.n, k.arrivedNs(), nil
}

// receiveFrom returns false if the socket has to become readable first.
func (k *kernelReader) receiveFrom(fd uintptr) bool {
	for {
		k.message = syscall.Msghdr{Iov: &k.vector, Iovlen: 1, Control: (*byte)(unsafe.Pointer(&k.control))}
		k.message.SetControllen(int(unsafe.Sizeof(k.control)))
		n, _, errno := syscall.Syscall(syscall.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&k.message)), 0)
		switch errno {
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			return false
		}
		k.n, k.errno = int(n), errno
		return true
	}
}

func (k *kernelReader) arrivedNs() int64 {
	isTime := uint64(k.message.Controllen) >= uint64(unsafe.Sizeof(k.control)) &&
		k.control.header.Level == syscall.SOL_SOCKET && k.control.header.Type == syscall.SCM_TIMESTAMPNS
	if !isTime {
		return clock.Now()
	}
	ns, unixNs := clock.Both()
	return ns - max(0, unixNs-k.control.time.Nano())
}
