import type { WholeResponse } from './respond.ts'
import type { ResponseWriter } from './response-writer.ts'

/** Sends an answer that is there at once. */
export function writeWhole(sink: ResponseWriter, { status, headers, body, breakOff }: WholeResponse): void {
  if (sink.isClosed()) return
  const announced = { ...headers, 'content-length': String(Buffer.byteLength(body)) }
  if (breakOff === undefined) {
    sink.start(status, announced)
    sink.end(body) // head and body in one write
    return
  }
  const { how, afterBytes } = breakOff
  if (afterBytes !== undefined) {
    sink.start(status, announced)
    sink.write(Buffer.from(body).subarray(0, afterBytes))
  }
  if (how !== 'stall') sink.abortAfterFlush(how)
}
