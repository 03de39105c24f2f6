import { isIPv6 } from 'node:net'
import { createInstance } from '../instance.ts'
import { createServer } from './create-server.ts'

/**
 * Builds and discards a server, and loads the modules that Node would load at the first `listen`. The first run of any
 * code is many times slower; afterwards the first real server starts as fast as any other.
 */
export async function warmUp(): Promise<void> {
  await import('node:cluster')
  isIPv6('::1') // Compiles a large pattern that `listen` matches every address against.
  await createServer(createInstance({})).ready()
}
