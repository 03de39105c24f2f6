/**
 * Measures the resident memory of an idle emulator, and of an emulator with 1,000 open streams, from outside. Prints
 * JSON, then two lines; `--out FILE` also stores the JSON. Exit code 1 if a bound is exceeded. The soak test in
 * `tests/trust/` checks that memory does not grow.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { readFlags } from './read-flags.ts'
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

const STREAM_BODY = JSON.stringify({ model: 'o3-mini', stream: true, messages: [{ role: 'user', content: 'Go.' }] })

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

/**
 * Opens streams, each on a separate connection, and resolves when every stream has started.
 * @returns a function that closes the streams
 */
async function holdStreams(url: string, streams: number): Promise<() => void> {
  const sockets = await Promise.all(Array.from({ length: streams }, () => openStream(new URL(url))))
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

function openStream({ hostname, port, host }: URL): Promise<Socket> {
  const head =
    `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n` +
    `authorization: Bearer sk-svc-touchstone-funded\r\ncontent-length: ${STREAM_BODY.length}\r\n\r\n`
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(head + STREAM_BODY))
    let received = ''
    socket.setEncoding('latin1').on('data', (piece: string) => {
      received = received.length < 2000 ? received + piece : received
      if (!received.startsWith('HTTP/1.1 200')) reject(new Error(`a stream began with ${received.slice(0, 80)}`))
      else if (received.includes('"content":" ') || received.includes('"role"')) resolve(socket)
    })
    socket.on('error', reject).on('close', () => reject(new Error('a stream ended before its first byte')))
  })
}
