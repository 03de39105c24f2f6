/** How a connection is broken off when a fault says so. */
export interface ConnectionAbort {
  /** `close` as if the service had gone down, `reset` by TCP RST, `stall`: nothing more comes, until the client leaves. */
  readonly how: 'close' | 'reset' | 'stall'
  /** Of an answer that is no stream: how many bytes of its body are sent before; absent: not even the status line. */
  readonly afterBytes?: number
}
