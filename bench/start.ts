/**
 * Measures startup: from starting the emulator's process to its first response, in turns with a bare Fastify server;
 * and `startEmulator()` in a process that has imported it. Prints JSON, then two lines; `--out FILE` also stores the
 * JSON. Exit code 1 if a bound is broken.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { readFlags } from './read-flags.ts'
import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import { startEmulatorProcess, startServer, type ServerProcess } from './server-process.ts'
import type { InProcessTimes } from './start-in-process.ts'
import { calculateSpread } from './statistics.ts'

const values = readFlags({ rounds: { type: 'string', default: '15' }, out: { type: 'string' } })
const BARE_FASTIFY = fileURLToPath(new URL('./bare-fastify.js', import.meta.url))
/** Upper bounds of the medians. */
const MOST = { ratio: 1.3, firstCallMs: 10 }
const HEADERS = { authorization: 'Bearer sk-svc-touchstone-funded' }

/** Milliseconds from starting the process to its first response. */
async function timeToAnswer(start: () => Promise<ServerProcess>): Promise<number> {
  const startedAtMs = performance.now()
  const server = await start()
  const response = await fetch(`${server.url}/v1/models`, { headers: HEADERS })
  await response.text()
  const elapsedMs = performance.now() - startedAtMs
  if (response.status !== 200) throw new Error(`the first answer had status ${response.status}`)
  await server.stop()
  return elapsedMs
}

async function timeInProcess(): Promise<InProcessTimes> {
  const child = fork(new URL('./start-in-process.ts', import.meta.url))
  const [times] = (await once(child, 'message')) as [InProcessTimes] // the only kind of message that it sends
  return times
}

const startEmulator = () => startEmulatorProcess([])
const startBare = () => startServer([BARE_FASTIFY])
await timeToAnswer(startEmulator) // fills the compile cache and the file system cache
await timeToAnswer(startBare)
const emulatorMs: number[] = []
const bareMs: number[] = []
const inProcess: InProcessTimes[] = []
for (let done = 0; done < Number(values.rounds); done += 1) {
  emulatorMs.push(await timeToAnswer(startEmulator))
  bareMs.push(await timeToAnswer(startBare))
  inProcess.push(await timeInProcess())
}
const toAnswerMs = { emulator: calculateSpread(emulatorMs, 0), bareFastify: calculateSpread(bareMs, 0) }
const ratio = calculateSpread(emulatorMs.map((ms, index) => ms / (bareMs[index] ?? Number.NaN)))
const over = (figure: keyof InProcessTimes, digits: number) =>
  calculateSpread(
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
  `start: ${toAnswerMs.emulator.median} ms from process to first answer, ${ratio.median} times that of a bare Fastify server (${ratio.least} to ${ratio.most}), at most ${MOST.ratio}\n` +
    `start: startEmulator() takes ${firstCallMs.median} ms at its first call, at most ${MOST.firstCallMs}, and ${nextCallMs.median} ms at the next\n`,
)
if (ratio.median > MOST.ratio || firstCallMs.median > MOST.firstCallMs) process.exitCode = 1
