import { writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

// Loaded into a command before its own code: tells on the pipe that is its file 3 how much CPU time all its threads took.
const PIPE = 3

if (isMainThread) {
  process.on('exit', () => {
    const { user, system } = process.cpuUsage()
    writeSync(PIPE, String(user + system))
  })
}
