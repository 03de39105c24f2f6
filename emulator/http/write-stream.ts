import type { ServerResponse } from 'node:http'
import type { StreamedReply } from '../stages/respond.ts'

/** Frames that are due together go out in pieces of about this size. */
const PIECE_BYTES = 16 * 1024

/**
 * Sends a stream, no faster than the client reads, and ends it exactly once with the number of frames that were handed to
 * the socket. Resolves when the stream is over, also when the client left.
 */
export async function writeStream(response: ServerResponse, reply: StreamedReply): Promise<void> {
  let sent = 0
  try {
    response.writeHead(reply.status, reply.headers)
    while (sent < reply.frameCount && !response.destroyed) {
      let piece = ''
      while (sent < reply.frameCount && piece.length < PIECE_BYTES) {
        piece += reply.frame(sent)
        sent += 1
      }
      if (!response.write(piece)) await drained(response)
    }
  } finally {
    reply.end(sent)
    response.end()
  }
}

/** Resolves when the socket takes more, or when it is gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
    if (response.destroyed) done()
  })
}
