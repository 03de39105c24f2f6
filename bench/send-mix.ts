/**
 * Child process that sends a mix of requests to an emulator. Command-line argument: the emulator's base URL. For each
 * {@link RequestBatch} message from the parent process, it sends the requests and responds with {@link StatusCounts}.
 */
import { Agent, request } from 'node:http'

const [, , url = ''] = process.argv
const KEY = 'sk-svc-touchstone-funded'
const CONCURRENCY = 32

/** Requests to send: those from index `first` (inclusive) to `end` (exclusive). */
export interface RequestBatch {
  readonly first: number
  readonly end: number
}

/** Number of responses, keyed by HTTP status. */
export type StatusCounts = Readonly<Record<string, number>>

const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY })

/** Returns the path and body of a request. The topic in the body contains the index. Some requests are invalid. */
function bodyOf(index: number): { path: string; body: object } {
  const topic = `topic ${index}`
  const model = 'vendora-v4-flash'
  const messages = [{ role: 'user', content: topic }]
  switch (index % 8) {
    case 0:
    case 1:
      return { path: 'chat/completions', body: { model, messages, stream: true } }
    case 2:
      return { path: 'images/generations', body: { model, prompt: topic } }
    case 3:
      return { path: 'audio/speech', body: { model, input: topic } }
    case 4:
      return { path: 'chat/completions', body: { model, messages, temperature: 3 } }
    case 5:
      return { path: 'chat/completions', body: { model: topic, messages } }
    default:
      return { path: 'chat/completions', body: { model, messages } }
  }
}

function send(index: number): Promise<number> {
  const { path, body } = bodyOf(index)
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const call = request(`${url}/v1/${path}`, { method: 'POST', headers, agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    call.on('error', reject)
    call.end(JSON.stringify(body))
  })
}

async function sendBatch({ first, end }: RequestBatch): Promise<StatusCounts> {
  const statuses: Record<string, number> = {}
  let next = first
  const worker = async () => {
    while (next < end) {
      next += 1
      const status = await send(next - 1)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return statuses
}

process.on('message', (batch: RequestBatch) => void sendBatch(batch).then((statuses) => process.send?.(statuses)))
