//go:build !linux

package main

import "net"

// openReceiver returns a function that reads from a connection and reports the instants between which the bytes
// arrived.
func openReceiver(conn net.Conn) func(into []byte) (int, interval, error) {
	beganMs := nowMs()
	return func(into []byte) (int, interval, error) {
		n, err := conn.Read(into)
		arrived := interval{beganMs, nowMs()}
		beganMs = arrived[1]
		return n, arrived, err
	}
}
