/**
 * Baseline server for the streaming benchmarks: a node:http server that writes each event at its absolute deadline,
 * with one timer per stream. Command-line arguments: milliseconds to the first event, milliseconds between events,
 * number of events.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const [ttftMs = 0, itlMs = 0, events = 1] = process.argv.slice(2).map(Number)

const HEAD =
  '"id":"chatcmpl-b3d00a553685e95611946204","object":"chat.completion.chunk","created":1795204671,"model":"o3-mini"'
const EVENT = `data: {${HEAD},"choices":[{"index":0,"delta":{"content":" token"},"finish_reason":null}]}\n\n`
const LAST = `data: {${HEAD},"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`

function stream(response: ServerResponse, startedAtMs: number): void {
  let sent = 0
  const advance = () => {
    while (sent < events) {
      const waitMs = startedAtMs + ttftMs + sent * itlMs - performance.now()
      if (waitMs > 0) {
        setTimeout(advance, Math.ceil(waitMs))
        return
      }
      sent += 1
      response.write(sent === events ? EVENT + LAST : EVENT)
    }
    response.end()
  }
  advance()
}

const server = createServer((request, response) => {
  const startedAtMs = performance.now()
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
    stream(response, startedAtMs)
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo // The cast is safe: `address()` returns a string only for a server on a pipe.
  process.stdout.write(`ready at http://127.0.0.1:${port}\n`)
})
process.once('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
})
