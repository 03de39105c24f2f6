import type { IncomingMessage } from 'node:http'
import { ClientDisconnected } from '../core/request-context.ts'

/**
 * Reads a request body: synchronously if all of it has arrived, as is usual.
 * @returns undefined if it exceeds `limitBytes`; the server discards the rest
 */
export function readBody(
  request: IncomingMessage,
  limitBytes: number,
): Buffer | undefined | Promise<Buffer | undefined> {
  if (Number(request.headers['content-length']) > limitBytes) return undefined
  if (request.destroyed) return Promise.reject(new ClientDisconnected())
  if (!request.complete || request.readableFlowing === true) return readAsItComes(request, limitBytes)
  const body: Buffer = request.read() ?? Buffer.alloc(0)
  return body.length > limitBytes ? undefined : body
}

function readAsItComes(request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= limitBytes) {
        chunks.push(chunk)
        return
      }
      request.off('data', onData)
      chunks.length = 0
      resolve(undefined)
    }
    request.on('data', onData)
    const onGone = () => reject(new ClientDisconnected())
    request.on('error', onGone)
    request.on('close', onGone)
    request.on('end', () => {
      request.off('close', onGone) // Every request emits `close`, and creating an error captures a stack trace.
      resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    })
  })
}
