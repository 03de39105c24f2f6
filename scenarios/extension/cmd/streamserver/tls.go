package main

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
)

// serve serves a protocol on a loopback port: "http1", "tls" (HTTP/1.1 over TLS) or "http2" (over TLS). It returns the
// base URL. The records contain the times of the plain bytes: a write returns after the socket has taken their
// ciphertext.
func serve(protocol string) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	logged, server := loggedListener{Listener: listener}, &http.Server{ConnContext: withConn}
	scheme := "http"
	if protocol != "http1" {
		scheme = "https"
		logged.config = &tls.Config{Certificates: testCertificates(), NextProtos: []string{"http/1.1"}}
	}
	if protocol == "http2" {
		// The server sees the plain bytes, so it takes the connection for HTTP/2 without TLS.
		logged.config.NextProtos, logged.isHTTP2, server.Protocols = []string{"h2"}, true, &http.Protocols{}
		server.Protocols.SetUnencryptedHTTP2(true)
	}
	go func() { _ = server.Serve(logged) }()
	return scheme + "://" + listener.Addr().String(), nil
}

func testCertificates() []tls.Certificate {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	return server.TLS.Certificates
}

// Types of HTTP/2 frames (RFC 9113, section 6).
const (
	frameData    = 0
	frameHeaders = 1
)

// prefaceBytes is the length of the bytes that a client sends before its first frame.
const prefaceBytes = 24

// frames finds the frames in one direction of an HTTP/2 connection.
type frames struct {
	header []byte // the part of a frame's header that was read
	left   int    // bytes until the next header
}

func (f *frames) scan(bytes []byte, onFrame func(kind byte)) {
	for len(bytes) > 0 {
		if f.left > 0 {
			n := min(f.left, len(bytes))
			f.left, bytes = f.left-n, bytes[n:]
			continue
		}
		n := min(9-len(f.header), len(bytes))
		f.header, bytes = append(f.header, bytes[:n]...), bytes[n:]
		if h := f.header; len(h) == 9 {
			f.left, f.header = int(h[0])<<16|int(h[1])<<8|int(h[2]), h[:0]
			onFrame(h[3])
		}
	}
}
