package wire

import (
	"net"
	"time"

	"touchstone/k6/clock"
)

const probeInterval = 10 * time.Millisecond

// startProbe sends a byte every 10 ms over a connection of this process and reads it. The delays of these reads are
// known even when the delays of reading responses are not.
func startProbe() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return
	}
	defer func() { _ = listener.Close() }()
	near, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		return
	}
	far, err := listener.Accept()
	if err != nil {
		_ = near.Close()
		return
	}
	go func() {
		for _, err := far.Write([]byte{0}); err == nil; _, err = far.Write([]byte{0}) {
			dueNs := clock.Now() + int64(probeInterval)
			time.Sleep(probeInterval)
			// While the whole process waits for a processor, it sends no byte that it could read late. The delay of the
			// sender therefore counts as the delay of a read.
			now := clock.Now()
			readDelays.add(now, now-dueNs)
		}
	}()
	go func() {
		conn, into := Wrap(near), make([]byte, 64)
		for _, err := conn.Read(into); err == nil; _, err = conn.Read(into) {
		}
	}()
}
