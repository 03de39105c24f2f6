import type { IncomingMessage } from 'node:http'

/** The client went away before its body was whole. There is nobody to answer. */
export class ClientGone extends Error {}

/** Reads a request body. @returns undefined when it has more than `limitBytes`; the rest is left to the server to drop */
export function readStream(request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length']) > limitBytes) return Promise.resolve(undefined)
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
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', () => reject(new ClientGone()))
    request.on('close', () => reject(new ClientGone())) // after the end this changes nothing
  })
}
