/**
 * Measures the time from starting the emulator's process to its first response, in alternating rounds with a bare Fastify
 * server. Also measures the duration of `startEmulator()` after importing its module. Prints JSON, then two lines; `--out FILE`
 * also stores the JSON. Exit code 1 if a bound is exceeded.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { readFlags } from './read-flags.ts'
import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import { startEmulatorProcess, startServer, type ServerProcess } from './server-process.ts'
import type { InProcessStartTimes } from './start-in-process.ts'
import { calculateRunStatistics } from './statistics.ts'

const values = readFlags({ rounds: { type: 'string', default: '15' }, out: { type: 'string' } })
const BARE_FASTIFY = fileURLToPath(new URL('./bare-fastify.js', import.meta.url))
/**
 * Upper bounds of two medians: the emulator's start time divided by that of Fastify, and the duration of the first
 * `startEmulator()` in a process.
 */
const MAX = { ratio: 1.3, firstCallMs: 10 }
const HEADERS = { authorization: 'Bearer sk-svc-touchstone-funded' }

async function measureFirstResponse(start: () => Promise<ServerProcess>): Promise<number> {
  const startedAtMs = performance.now()
  const server = await start()
  const response = await fetch(`${server.url}/v1/models`, { headers: HEADERS })
  await response.text()
  const elapsedMs = performance.now() - startedAtMs
  if (response.status !== 200) throw new Error(`the first response had status ${response.status}`)
  await server.stop()
  return elapsedMs
}

async function timeInProcess(): Promise<InProcessStartTimes> {
  const child = fork(new URL('./start-in-process.ts', import.meta.url))
  // The cast is safe: the child process sends only messages of this type.
  const [times] = (await once(child, 'message')) as [InProcessStartTimes]
  return times
}

const startEmulator = () => startEmulatorProcess([])
const startBare = () => startServer([BARE_FASTIFY])
// The first start fills the compile cache and the file system cache, so it does not count.
await measureFirstResponse(startEmulator)
await measureFirstResponse(startBare)
const emulatorMs: number[] = []
const bareMs: number[] = []
const inProcess: InProcessStartTimes[] = []
for (let done = 0; done < Number(values.rounds); done += 1) {
  emulatorMs.push(await measureFirstResponse(startEmulator))
  bareMs.push(await measureFirstResponse(startBare))
  inProcess.push(await timeInProcess())
}
const toAnswerMs = { emulator: calculateRunStatistics(emulatorMs, 0), bareFastify: calculateRunStatistics(bareMs, 0) }
const ratio = calculateRunStatistics(emulatorMs.map((ms, index) => ms / (bareMs[index] ?? Number.NaN)))
const over = (figure: keyof InProcessStartTimes, digits: number) =>
  calculateRunStatistics(
    inProcess.map((times) => times[figure]),
    digits,
  )
const firstCallMs = over('firstCallMs', 1)
const nextCallMs = over('nextCallMs', 1)
const importMs = over('importMs', 0)
const rounds = emulatorMs.length
const document = {
  bench: 'start',
  machine: describeMachine(),
  rounds,
  toAnswerMs,
  ratio,
  firstCallMs,
  nextCallMs,
  importMs,
}
printDocument(document, values.out)
process.stdout.write(
  `start: ${toAnswerMs.emulator.median} ms from process start to first response, ${ratio.median} times that of a bare Fastify server (${ratio.min} to ${ratio.max}, limit ${MAX.ratio})\n` +
    `start: startEmulator() takes ${firstCallMs.median} ms on its first call (limit: ${MAX.firstCallMs}) and ${nextCallMs.median} ms on the next\n`,
)
if (ratio.median > MAX.ratio || firstCallMs.median > MAX.firstCallMs) process.exitCode = 1
