/**
 * Runs random latencies, requests and operations of a virtual clock against the emulator, in process and over HTTP, and
 * checks that every advance returns, that responses are written when they are due, and that the ledger is exact. A seed
 * determines the cases. Prints JSON, then one summary line; `--out FILE` also stores the JSON. Defaults: `--seconds 60
 * --seed 1`. `--seed S --only N` repeats case N and prints it. Exit code: 0 if all cases were correct, else 1.
 */
import { generateClockCase } from './fuzz-clock/random-cases.ts'
import { runClockCase } from './fuzz-clock/run-case.ts'
import { runGeneratedCases } from './fuzz-clock/run-fuzz.ts'
import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import { readFlags } from './read-flags.ts'

const PROGRESS_EVERY = 1000

const values = readFlags({
  seconds: { type: 'string', default: '60' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string' },
  out: { type: 'string' },
})
const seed = Number(values.seed)
const isOne = values.only !== undefined
if (isOne) process.stdout.write(`${JSON.stringify(generateClockCase(seed, Number(values.only)))}\n`)
const { cases, failures } = await runGeneratedCases(
  { name: 'fuzz-clock', generate: generateClockCase, run: runClockCase },
  {
    seed,
    first: Number(values.only ?? 0),
    seconds: Number(values.seconds),
    maxCases: isOne ? 1 : Infinity,
    onCase: (number) => {
      if (number % PROGRESS_EVERY === 0) process.stderr.write(`fuzz-clock: case ${number}\n`)
    },
  },
)
printDocument({ bench: 'fuzz-clock', machine: describeMachine(), seed, cases, failures }, values.out)
for (const { number, failure } of failures)
  process.stdout.write(`fuzz-clock: --seed ${seed} --only ${number}: ${failure}\n`)
const verdict = failures.length === 0 ? 'all correct' : `${failures.length} failures`
process.stdout.write(`fuzz-clock: ${verdict}, ${cases} cases with seed ${seed}\n`)
process.exitCode = failures.length === 0 ? 0 : 1
