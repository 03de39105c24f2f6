/** Tells a server with TLS that the suite uses HTTP/1.1, so that a server of HTTP/2 alone rejects the connection. */
export const TLS_PROTOCOL = { ALPNProtocols: ['http/1.1'] }
