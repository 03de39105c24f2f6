/**
 * Measures the resident memory of an idle emulator, and of an emulator with 1,000 open streams, from outside. Prints
 * JSON, then two lines; `--out FILE` also stores the JSON. Exit code 1 if a bound is exceeded. The soak test in
 * `tests/trust/` checks that memory does not grow.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { readFlags } from './read-flags.ts'
import { holdStreams } from './hold-streams.ts'
import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import { readResidentMb } from './resident-memory.ts'
import { buildPackage, startEmulatorProcess, startPackagedEmulator } from './server-process.ts'
import { calculateRunStatistics, type RunStatistics } from './statistics.ts'

const MAX_IDLE_MB = 76
/** Includes 6 MB for the optimizing compiler, which runs only under load. */
const MAX_STREAMS_MB = 50
const HELD_STREAMS = 1000
/**
 * Milliseconds from startup, or from the opening of streams, to a memory sample. Deferred work finishes in this time.
 */
const SETTLING_MS = 1000

const values = readFlags({ rounds: { type: 'string', default: '5' }, out: { type: 'string' } })

/**
 * Measures an idle emulator that runs from the package, then the additional memory of open streams that wait for their
 * next event.
 */
async function measureHeld(): Promise<{ readonly idleMb: number; readonly heldMb: number }> {
  const held = await startPackagedEmulator(['--latency', 'ttft=10ms,itl=600s', '--answer-tokens', 'fill'])
  await sleep(SETTLING_MS)
  const idleMb = readResidentMb(held.pid)
  const closeStreams = await holdStreams(held.url, HELD_STREAMS)
  await sleep(SETTLING_MS)
  const heldMb = readResidentMb(held.pid) - idleMb
  closeStreams()
  await held.stop()
  return { idleMb, heldMb }
}

/** Measures an idle emulator that runs from the TypeScript sources. */
async function measureSources(): Promise<number> {
  const idle = await startEmulatorProcess([])
  await sleep(SETTLING_MS)
  const idleMb = readResidentMb(idle.pid)
  await idle.stop()
  return idleMb
}

buildPackage()
const rounds: { readonly idleMb: number; readonly heldMb: number; readonly sourcesIdleMb: number }[] = []
while (rounds.length < Number(values.rounds))
  rounds.push({ ...(await measureHeld()), sourcesIdleMb: await measureSources() })
const over = (figure: 'idleMb' | 'heldMb' | 'sourcesIdleMb') =>
  calculateRunStatistics(
    rounds.map((round) => round[figure]),
    1,
  )
const [idleMb, heldMb] = [over('idleMb'), over('heldMb')]
const figures = { idleMb, sourcesIdleMb: over('sourcesIdleMb'), heldStreams: HELD_STREAMS, heldMb }
printDocument({ bench: 'memory', machine: describeMachine(), ...figures }, values.out)
process.stdout.write(
  `memory: ${renderSpread(idleMb)} MB idle (limit: ${MAX_IDLE_MB})\n` +
    `memory: ${renderSpread(heldMb)} MB more for ${HELD_STREAMS} open streams (limit: ${MAX_STREAMS_MB})\n`,
)
process.exitCode = idleMb.median <= MAX_IDLE_MB && heldMb.median <= MAX_STREAMS_MB ? 0 : 1

function renderSpread({ median, min: least, max: most }: RunStatistics): string {
  return `${median} (${least} to ${most})`
}
