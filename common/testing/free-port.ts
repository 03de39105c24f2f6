import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Lower bound of the ports to try. All ports up to MAX_PORT are below the ephemeral ranges of Linux, macOS and Windows.
 */
const MIN_PORT = 10_000
const MAX_PORT = 32_000

/**
 * Finds a free loopback port for a program that cannot let the system choose one, or at which no server should listen.
 * The system never assigns such a port to a connection or to a server, even while other tests open thousands of them.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(MIN_PORT, MAX_PORT)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const listening = once(server, 'listening').then(
    () => true,
    () => false,
  )
  server.listen(port, '127.0.0.1')
  if (!(await listening)) return false
  server.close()
  await once(server, 'close')
  return true
}
