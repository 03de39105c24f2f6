import type { Socket } from 'node:net'

/** Closes or resets a connection after all data written to it has been sent. */
export function destroyAfterFlush(socket: Socket, how: 'close' | 'reset'): void {
  // The callback runs after all earlier writes. Destroying the socket immediately would discard them.
  socket.write('', () => void (how === 'reset' ? socket.resetAndDestroy() : socket.destroy()))
}

export function writeHalf(socket: Socket, head: string): void {
  socket.write(head.slice(0, head.length / 2), 'latin1')
}
