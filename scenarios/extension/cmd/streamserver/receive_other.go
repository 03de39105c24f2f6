//go:build !linux

package main

import "net"

// openReceiver returns a function that reads from a connection and reports the instants between which the bytes
// arrived.
func openReceiver(conn net.Conn) receiver {
	beganMs := nowMs()
	return func(into []byte) (int, interval, float64, error) {
		n, err := conn.Read(into)
		arrived := interval{beganMs, nowMs()}
		beganMs = arrived[1]
		return n, arrived, arrived[0], err
	}
}
