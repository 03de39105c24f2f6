import { connect, type Socket } from 'node:net'

const BODY = JSON.stringify({ model: 'o3-mini', stream: true, messages: [{ role: 'user', content: 'Go.' }] })

/**
 * Opens streams, each on a separate connection, and resolves when every stream has started.
 * @returns a function that closes the streams
 */
export async function holdStreams(url: string, streams: number): Promise<() => void> {
  const sockets = await Promise.all(Array.from({ length: streams }, () => openStream(new URL(url))))
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

function openStream({ hostname, port, host }: URL): Promise<Socket> {
  const head =
    `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n` +
    `authorization: Bearer sk-svc-touchstone-funded\r\ncontent-length: ${BODY.length}\r\n\r\n`
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(head + BODY))
    let received = ''
    socket.setEncoding('latin1').on('data', (piece: string) => {
      received = received.length < 2000 ? received + piece : received
      if (!received.startsWith('HTTP/1.1 200')) reject(new Error(`a stream began with ${received.slice(0, 80)}`))
      else if (received.includes('"content":" ') || received.includes('"role"')) resolve(socket)
    })
    socket.on('error', reject).on('close', () => reject(new Error('a stream ended before its first byte')))
  })
}
