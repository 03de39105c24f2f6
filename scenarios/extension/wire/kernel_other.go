//go:build !linux || !(amd64 || arm64)

package wire

import (
	"net"
)

// kernelReader is a placeholder, because this platform reports no receive times.
type kernelReader struct{}

// HasKernelTimes returns false, because this platform reports no receive times.
func HasKernelTimes() bool { return false }

func enableKernelTimes() {}

func openKernelReader(net.Conn) *kernelReader { return nil }

func (*kernelReader) read(conn net.Conn, into []byte) (int, arrival, error) {
	n, err := conn.Read(into)
	return n, arrival{}, err
}
