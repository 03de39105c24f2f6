import { chdir } from 'node:process'
import type { SharedProcessResult, SharedProcessRequest } from './run-cli.ts'

// Runs `touchstone` repeatedly in one process for `runCliInSharedProcess`. Each run has its own arguments, environment
// and directory, as in a separate process. All modules except touchstone.ts stay loaded.

/**
 * Collects the output of a stream instead of writing it.
 * @returns a function that returns the output so far
 */
function capture(stream: NodeJS.WriteStream): () => string {
  let text = ''
  const write = (data: string | Uint8Array): boolean => {
    text += typeof data === 'string' ? data : Buffer.from(data).toString()
    return true
  }
  Object.assign(stream, { write })
  return () => text
}

let runs = 0

async function run({ args, env, directory }: SharedProcessRequest): Promise<SharedProcessResult> {
  runs += 1
  process.argv = [process.execPath, 'touchstone', ...args]
  process.env = { ...env }
  process.exitCode = undefined
  chdir(directory)
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)]
  await import(new URL(`../touchstone.ts?run=${runs}`, import.meta.url).href)
  process.stdout.removeAllListeners('error') // Each run adds its own listener.
  return { exitCode: Number(process.exitCode ?? 0), stdout: stdout(), stderr: stderr() }
}

process.on('message', (message: SharedProcessRequest) => {
  void run(message).then((result) => process.send?.(result))
})
// The parent process disconnects when the tests have ended.
process.on('disconnect', () => process.exit())
