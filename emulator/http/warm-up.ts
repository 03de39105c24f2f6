import { isIPv6 } from 'node:net'
import { createInstance } from '../instance.ts'
import { createServer } from './create-server.ts'

/**
 * Builds a server that nobody will use, and loads what Node would load at the first `listen`. Code that runs for the first
 * time takes many times as long: after this, the first server that is asked for is there as soon as any other.
 */
export async function warmUp(): Promise<void> {
  await import('node:cluster')
  isIPv6('::1') // compiles a large pattern, which `listen` holds every address against
  await createServer(createInstance({})).ready()
}
