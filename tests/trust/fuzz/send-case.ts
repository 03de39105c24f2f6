import { connect } from 'node:net'
import { readRunningSeconds } from '../running-seconds.ts'
import type { FuzzCase } from './generate-cases.ts'

export interface ConnectionResult {
  readonly received: string
  /**
   * `hang`: the client wrote nothing for {@link MAX_IDLE_S} and the connection was still open. `refused`: the
   * connection could not be opened.
   */
  readonly end: 'closed' | 'reset' | 'hang' | 'refused'
}

/** Maximum seconds since the last write of the client. It is long enough for a busy machine. */
const MAX_IDLE_S = 20

/** Sends a case to a port on the loopback interface, and resolves when the connection has ended. Never rejects. */
export function sendCase(port: number, { kind, pieces, pauseMs }: FuzzCase): Promise<ConnectionResult> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    let isConnected = false
    let wasReset = false
    const finish = (end: ConnectionResult['end']) => {
      clearInterval(timeoutCheck)
      socket.destroy()
      resolve({ received: Buffer.concat(chunks).toString('latin1'), end })
    }
    let movedAtS = readRunningSeconds()
    const timeoutCheck = setInterval(() => {
      if (readRunningSeconds() - movedAtS > MAX_IDLE_S) finish('hang')
    }, 1000)
    socket.setNoDelay()
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', () => {
      wasReset = true
    })
    socket.on('close', () => finish(isConnected ? (wasReset ? 'reset' : 'closed') : 'refused'))
    socket.on('connect', () => {
      isConnected = true
      let next = 0
      const sendNext = () => {
        movedAtS = readRunningSeconds()
        const piece = pieces[next]
        next += 1
        if (socket.destroyed) return
        if (piece === undefined) conclude()
        else socket.write(piece, () => (pauseMs === 0 ? setImmediate(sendNext) : setTimeout(sendNext, pauseMs)))
      }
      const conclude = () => {
        if (kind === 'abort') socket.destroy()
        else if (kind === 'reset') socket.resetAndDestroy()
        else if (kind !== 'valid') socket.end()
      }
      sendNext()
    })
  })
}
