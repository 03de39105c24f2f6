import { type Agent, request, type IncomingMessage } from 'node:http'
import { wakingSeconds } from '../waking-seconds.ts'

/** What a client asks, and when it leaves. */
export interface Question {
  readonly method?: 'GET' | 'POST'
  /** With `/v1`. */
  readonly path: string
  readonly key: string
  /** Sent as JSON; a Buffer as it is, with `contentType`. */
  readonly body?: unknown
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Leaves after so many milliseconds, wherever the answer is then. */
  readonly leaveAfterMs?: number
  /** Leaves once so many bytes of the answer's body have come. */
  readonly leaveAfterBytes?: number
}

/** What came of it. Status 0: no answer began. */
export interface Outcome {
  readonly status: number
  readonly body: Buffer
  /** `whole`: to its end; `cut`: the connection broke; `left`: by this client. */
  readonly end: 'whole' | 'cut' | 'left'
}

/** Longer than any answer takes: past it, the emulator hangs. */
const HANG_S = 30

/** Sends one request. Rejects only where nothing has ended after a long time. */
export function ask(url: string, agent: Agent, question: Question): Promise<Outcome> {
  const { path, key, body, leaveAfterMs, leaveAfterBytes = Infinity } = question
  const bytes = body instanceof Buffer || body === undefined ? body : Buffer.from(JSON.stringify(body))
  const { method = bytes === undefined ? 'GET' : 'POST', contentType = 'application/json' } = question
  const headers = {
    authorization: `Bearer ${key}`,
    ...(bytes === undefined ? {} : { 'content-type': contentType, 'content-length': bytes.length }),
    ...question.headers,
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let received = 0
    let status = 0
    const call = request(url + path, { method, headers, agent })
    const finish = (end: Outcome['end']) => {
      clearInterval(hanging)
      clearTimeout(leaving)
      resolve({ status, body: Buffer.concat(chunks), end })
    }
    const leave = () => {
      finish('left')
      call.destroy()
    }
    const sinceS = wakingSeconds()
    const hanging = setInterval(() => {
      if (wakingSeconds() - sinceS < HANG_S) return
      clearInterval(hanging)
      reject(new Error(`${method} ${path} has not ended after ${HANG_S} s: ${JSON.stringify(question.headers)}`))
      call.destroy()
    }, 1000)
    const leaving = leaveAfterMs === undefined ? undefined : setTimeout(leave, leaveAfterMs)
    call.on('error', () => finish('cut'))
    call.on('response', (response: IncomingMessage) => {
      status = response.statusCode ?? 0
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        received += chunk.length
        if (received >= leaveAfterBytes) leave()
      })
      response.on('error', () => finish('cut'))
      response.on('end', () => finish('whole'))
    })
    call.end(bytes)
  })
}
