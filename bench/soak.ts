/**
 * Runs the emulator under load for a long time. Clients of all kinds start at a steady rate. Some disconnect, run out
 * of credits, exceed limits or request injected failures. At the end, the ledger must be exact, no request may be in
 * flight, no resource may be open, and the memory must not have grown. Prints JSON, then one line; `--out FILE` also
 * stores the JSON. Defaults: `--minutes 30 --rate 60 --fill 50000 --seed 1`. Exit code: 0 if every condition holds,
 * else 1.
 */
import { readFlags } from './read-flags.ts'
import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import { runSoak } from './soak/run-soak.ts'
import { findFailures } from './soak/soak-result.ts'

const PROGRESS_EVERY = 30

const values = readFlags({
  minutes: { type: 'string', default: '30' },
  rate: { type: 'string', default: '60' },
  seed: { type: 'string', default: '1' },
  fill: { type: 'string', default: '50000' },
  out: { type: 'string' },
})
const [seconds, clientsPerS, seed] = [Number(values.minutes) * 60, Number(values.rate), Number(values.seed)]
let samples = 0
const onProgress = (text: string) => {
  samples += 1
  if (samples % PROGRESS_EVERY === 0) process.stderr.write(`soak: ${text}\n`)
}
const soaked = await runSoak({ seconds, clientsPerS, seed, fillClients: Number(values.fill), onProgress })
const failures = findFailures(soaked)
printDocument({ bench: 'soak', machine: describeMachine(), clientsPerS, seed, failures, ...soaked }, values.out)
const { rss, heapBeforeMb, heapAfterMb, clientUnits, ledgerUnits, cpuShare } = soaked
const clients = Object.values(soaked.clients).reduce((sum, count) => sum + count, 0)
for (const failure of failures) process.stdout.write(`soak: ${failure}\n`)
process.stdout.write(
  `soak: ${failures.length === 0 ? 'nothing lost' : `${failures.length} failures`}, ${clients} clients, ${clientUnits} units by the responses and ${ledgerUnits} by the ledger, ` +
    `memory trend ${rss.growthMb} MB (${rss.slopeMbPerHour} ± ${rss.slopeErrorMbPerHour} MB per hour), ` +
    `heap ${heapBeforeMb} MB before and ${heapAfterMb} MB after the load, ${Math.round(cpuShare * 100)} % of a core\n`,
)
process.exitCode = failures.length === 0 ? 0 : 1
