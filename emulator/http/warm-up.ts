import { isIPv6 } from 'node:net'
import { createInstance } from '../instance.ts'
import { createServer } from './create-server.ts'

/**
 * Creates and discards a server, and loads the modules that Node loads at the first `listen`. The next server then
 * starts faster, because the first execution of code is many times slower than later ones.
 */
export async function warmUpServer(): Promise<void> {
  await import('node:cluster')
  isIPv6('::1') // Compiles the large regular expression with which `listen` checks addresses.
  await createServer(createInstance({})).ready()
}
