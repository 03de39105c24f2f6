//go:build !linux || !(amd64 || arm64)

package wire

import (
	"net"

	"touchstone/k6/clock"
)

// kernelReader exists on Linux only.
type kernelReader struct{}

func openKernelReader(net.Conn) *kernelReader { return nil }

func (*kernelReader) read(conn net.Conn, into []byte) (n int, atNs int64, err error) {
	n, err = conn.Read(into)
	return n, clock.Now(), err
}
