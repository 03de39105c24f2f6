import { createWorld } from '../create-world.ts'
import { createServer } from './create-server.ts'

/**
 * Builds a server that nobody will use, and loads what Node would load at the first `listen`. Code that runs for the first
 * time takes many times as long: after this, the first server that is asked for is there as soon as any other.
 */
export async function warmUp(): Promise<void> {
  await import('node:cluster')
  await createServer(createWorld({})).ready()
}
