import { connect } from 'node:net'
import { wakingSeconds } from '../waking-seconds.ts'
import type { Case } from './cases.ts'

/** How a connection went. */
export interface Exchange {
  readonly received: string
  /** `hang`: nothing went on for a long time, and nothing had ended. `refused`: there was no connection. */
  readonly end: 'closed' | 'reset' | 'hang' | 'refused'
}

/** Longer than anything takes without latency, on a busy machine too. */
const HANG_S = 20

/** Plays a case against whatever listens on this port of loopback. Never rejects. */
export function exchange(port: number, { kind, pieces, pauseMs }: Case): Promise<Exchange> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    let isConnected = false
    let wasReset = false
    const finish = (end: Exchange['end']) => {
      clearInterval(hanging)
      socket.destroy()
      resolve({ received: Buffer.concat(chunks).toString('latin1'), end })
    }
    let movedAtS = wakingSeconds()
    const hanging = setInterval(() => {
      if (wakingSeconds() - movedAtS > HANG_S) finish('hang')
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
        movedAtS = wakingSeconds()
        const piece = pieces[next]
        next += 1
        if (socket.destroyed) return
        if (piece === undefined) conclude()
        else socket.write(piece, () => (pauseMs === 0 ? setImmediate(sendNext) : setTimeout(sendNext, pauseMs)))
      }
      const conclude = () => {
        if (kind === 'left') socket.destroy()
        else if (kind === 'reset') socket.resetAndDestroy()
        else if (kind !== 'sound') socket.end()
      }
      sendNext()
    })
  })
}
