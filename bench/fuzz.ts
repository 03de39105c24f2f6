/**
 * Whether requests of all sorts, right, wrong and none at all, each get what they have to get: 100,000 connections to an emulator in
 * a process of its own, drawn from a seed. Prints JSON, then one line; keeps the JSON where `--out` says.
 * `--requests 100000 --seed 1` are the defaults; `--seed S --only N` plays one of them again, and shows it.
 * Exit code: 0 all held, 1 not.
 */
import { readFlags } from './read-flags.ts'
import { readLedger, waitUntilIdle } from './emulator-control.ts'
import { casesOf } from './fuzz/cases.ts'
import { exchange } from './fuzz/exchange.ts'
import { judge } from './fuzz/judge.ts'
import { runFuzz } from './fuzz/run-fuzz.ts'
import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import { residentMb } from './resident-memory.ts'
import { startEmulatorProcess } from './server-process.ts'
import { percentile, round } from './statistics.ts'

/** So much may be resident at any time; idle it is about 90 MB, and single bodies have up to 32 MiB. */
const MOST_MB = 500
/** So that requests meet others that are being answered. */
const LATENCY = 'ttft=1ms..5ms,total=1ms..5ms'
const PROGRESS_EVERY = 10_000
const MOST_SHOWN = 2000

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
  values.only === undefined ? await playAll(Number(values.requests)) : await playOne(Number(values.only))
)
  ? 0
  : 1
await emulator.stop()

async function playAll(requests: number): Promise<boolean> {
  const samplesMb: number[] = []
  const onRound = (done: number) => {
    samplesMb.push(residentMb(emulator.pid))
    if (done % PROGRESS_EVERY === 0) process.stderr.write(`fuzz: ${done} of ${requests}, ${samplesMb.at(-1)} MB\n`)
  }
  const fuzzed = await runFuzz({ port, seed, first: 0, end: requests, onRound })
  await waitUntilIdle(emulator.url)
  const { wrong, openHolds } = await readLedger(emulator.url)
  const mostMb = Math.max(...samplesMb)
  const growthMb = round(percentile(samplesMb.slice(-10), 0.5) - percentile(samplesMb.slice(-60, -50), 0.5), 1)
  const faults = [
    ...fuzzed.faults.map(({ number, fault }) => `--seed ${seed} --only ${number}: ${fault}`),
    ...wrong,
    ...(mostMb < MOST_MB ? [] : [`${mostMb} MB resident at most, and ${MOST_MB} are allowed`]),
  ]
  const { kinds, statuses } = fuzzed
  const figures = { kinds, statuses, openHolds, mostMb, growthMb, samplesMb }
  printDocument({ bench: 'fuzz', machine: describeMachine(), seed, requests, faults, ...figures }, values.out)
  for (const fault of faults) process.stdout.write(`fuzz: ${fault}\n`)
  const answers = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  const verdict = faults.length === 0 ? 'all as they have to be' : `${faults.length} faults`
  process.stdout.write(
    `fuzz: ${verdict}, ${requests} connections with seed ${seed}, ${answers} answers, ${openHolds} holds open, ${mostMb} MB at most\n`,
  )
  return faults.length === 0
}

async function playOne(number: number): Promise<boolean> {
  const [played] = casesOf(seed, number, number + 1)
  if (played === undefined) throw new Error(`there is no case ${number}`)
  const { received, end } = await exchange(port, played)
  const { fault } = judge(played, { received, end })
  const sent = played.pieces.map((piece) => `> ${shown(piece.toString('latin1'))}\n`)
  process.stdout.write(
    `fuzz: a case of the sort ${played.kind}, with ${played.messages.length} messages\n${sent.join('')}`,
  )
  process.stdout.write(`< ${shown(received)}\nfuzz: ${end}; ${fault ?? 'as it has to be'}\n`)
  return fault === undefined
}

function shown(text: string): string {
  const json = JSON.stringify(text)
  return json.length <= MOST_SHOWN ? json : `${json.slice(0, MOST_SHOWN)}… (${text.length} bytes)`
}
