import { connect } from 'node:net'
import type { Emulator } from '../../start-emulator.ts'

/** An answer read off the socket. Status 0: the connection ended without one. */
export interface RawResponse {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Longest wait for an answer in a test: a hang becomes a failure with a name. */
const TIMEOUT_MS = 10_000

/** Sends bytes as they are, ends its side, and reads until the emulator closes. Rejects when nothing happens for long. */
export function sendRaw(emulator: Emulator, request: string | Uint8Array): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(emulator.port, '127.0.0.1')
    const chunks: Buffer[] = []
    const finish = () => resolve(parse(Buffer.concat(chunks).toString('latin1')))
    socket.setTimeout(TIMEOUT_MS, () => {
      socket.destroy()
      reject(new Error(`no answer to ${JSON.stringify(String(request).slice(0, 200))}`))
    })
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', finish) // a reset after the answer is no loss
    socket.on('close', finish)
    socket.end(request)
  })
}

function parse(text: string): RawResponse {
  const end = text.indexOf('\r\n\r\n')
  const head = end === -1 ? text : text.slice(0, end)
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0),
    head,
    body: end === -1 ? '' : text.slice(end + 4),
  }
}
