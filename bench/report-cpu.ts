import { writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

// Preloaded into a command: writes the CPU time of all its threads to file descriptor 3 at exit.
const PIPE = 3

if (isMainThread) {
  process.on('exit', () => {
    const { user, system } = process.cpuUsage()
    writeSync(PIPE, String(user + system))
  })
}
