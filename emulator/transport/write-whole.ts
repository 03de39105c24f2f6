import type { WholeReply } from '../stages/respond.ts'
import type { Sink } from './sink.ts'

/** Sends an answer that is there at once. */
export function writeWhole(sink: Sink, { status, headers, body }: WholeReply): void {
  if (sink.isClosed()) return
  sink.start(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) })
  sink.write(body)
  sink.end()
}
