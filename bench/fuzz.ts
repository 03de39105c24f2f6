/**
 * Sends valid, invalid and malformed requests over 100,000 connections to an emulator in its own process, and checks
 * every response. A seed determines the requests. Prints JSON, then one summary line; `--out FILE` also stores the
 * JSON. Defaults: `--requests 100000 --seed 1`. `--seed S --only N` repeats connection N and prints it. Exit code: 0 if
 * all responses were correct, else 1.
 */
import { readFlags } from './read-flags.ts'
import { readLedger, waitUntilIdle } from './emulator-control.ts'
import { generateCases } from './fuzz/generate-cases.ts'
import { sendCase } from './fuzz/send-case.ts'
import { checkCase } from './fuzz/check-case.ts'
import { runFuzz } from './fuzz/run-fuzz.ts'
import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import { readResidentMb } from './resident-memory.ts'
import { startEmulatorProcess } from './server-process.ts'
import { calculatePercentile, roundTo } from './statistics.ts'

/** Maximum resident memory of the emulator. An idle emulator uses about 90 MB, and one request body may have 32 MiB. */
const MAX_RESIDENT_MB = 500
/**
 * Latency profile of the emulator. Responses take a few milliseconds, so that several connections are open at the same
 * time.
 */
const LATENCY = 'ttft=1ms..5ms,total=1ms..5ms'
const PROGRESS_EVERY = 10_000
const MAX_SHOWN_CHARACTERS = 2000

const values = readFlags({
  requests: { type: 'string', default: '100000' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string' },
  out: { type: 'string' },
})
const seed = Number(values.seed)
const emulator = await startEmulatorProcess(['--latency', LATENCY])
const port = Number(new URL(emulator.url).port)
process.exitCode = (
  values.only === undefined ? await runAllCases(Number(values.requests)) : await runOneCase(Number(values.only))
)
  ? 0
  : 1
await emulator.stop()

async function runAllCases(requests: number): Promise<boolean> {
  const samplesMb: number[] = []
  const onRound = (done: number) => {
    samplesMb.push(readResidentMb(emulator.pid))
    if (done % PROGRESS_EVERY === 0) process.stderr.write(`fuzz: ${done} of ${requests}, ${samplesMb.at(-1)} MB\n`)
  }
  const result = await runFuzz({ port, seed, first: 0, end: requests, onRound })
  await waitUntilIdle(emulator.url)
  const { wrong, openHolds } = await readLedger(emulator.url)
  const maxMb = Math.max(...samplesMb)
  const growthMb = roundTo(
    calculatePercentile(samplesMb.slice(-10), 0.5) - calculatePercentile(samplesMb.slice(-60, -50), 0.5),
    1,
  )
  const failures = [
    ...result.failures.map(({ number, failure }) => `--seed ${seed} --only ${number}: ${failure}`),
    ...wrong,
    ...(maxMb < MAX_RESIDENT_MB ? [] : [`${maxMb} MB resident, limit ${MAX_RESIDENT_MB} MB`]),
  ]
  const { kinds, statuses } = result
  const figures = { kinds, statuses, openHolds, maxMb, growthMb, samplesMb }
  printDocument({ bench: 'fuzz', machine: describeMachine(), seed, requests, failures, ...figures }, values.out)
  for (const failure of failures) process.stdout.write(`fuzz: ${failure}\n`)
  const responses = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  const verdict = failures.length === 0 ? 'all correct' : `${failures.length} failures`
  process.stdout.write(
    `fuzz: ${verdict}, ${requests} connections with seed ${seed}, ${responses} responses, ${openHolds} open holds, peak ${maxMb} MB\n`,
  )
  return failures.length === 0
}

async function runOneCase(number: number): Promise<boolean> {
  const [played] = generateCases(seed, number, number + 1)
  if (played === undefined) throw new Error(`case ${number} does not exist`)
  const { received, end } = await sendCase(port, played)
  const { failure } = checkCase(played, { received, end })
  const sent = played.pieces.map((piece) => `> ${escapeControlCharacters(piece.toString('latin1'))}\n`)
  process.stdout.write(`fuzz: case of kind ${played.kind} with ${played.messages.length} messages\n${sent.join('')}`)
  process.stdout.write(`< ${escapeControlCharacters(received)}\nfuzz: ${end}; ${failure ?? 'correct'}\n`)
  return failure === undefined
}

function escapeControlCharacters(text: string): string {
  const json = JSON.stringify(text)
  return json.length <= MAX_SHOWN_CHARACTERS ? json : `${json.slice(0, MAX_SHOWN_CHARACTERS)}… (${text.length} bytes)`
}
