/**
 * Measures the CPU cost of timing every event. Compares two rates, in streams per second of k6's CPU time: that of the
 * extension, which times each event, and that of stock k6, which reads whole bodies. Both use the same server with 50
 * concurrent requests. The server writes either the whole body at once, or one event per write. Prints JSON, then one
 * line. Exit code 1 if the extension reaches less than 0.7 of stock k6's rate.
 */
import { readFlags } from './read-flags.ts'
import { openLoadTools, runK6, type LoadTools } from './load-tools.ts'
import { describeMachine } from './machine.ts'
import { roundTo, calculateRunStatistics, type RunStatistics } from './statistics.ts'

const MIN_RATIO = 0.7

const values = readFlags({
  rounds: { type: 'string', default: '5' },
  streams: { type: 'string', default: '20000' },
})

interface Case {
  readonly written: 'whole' | 'flushed'
  readonly touchstonePerCpuS: RunStatistics
  readonly stockPerCpuS: RunStatistics
  /** Median rate of the extension divided by the median rate of stock k6. */
  readonly ratio: number
}

async function measure(tools: LoadTools, written: Case['written']): Promise<Case> {
  const settings = { URL: `${tools.url}/${written}?events=100`, VUS: '50', ITERATIONS: values.streams }
  const perCpuS = async (script: string) => Number(values.streams) / (await runK6(tools.k6, script, settings))
  const [touchstone, stock]: [number[], number[]] = [[], []]
  for (let index = 0; index < Number(values.rounds); index += 1) {
    stock.push(await perCpuS('./load-stock.ts'))
    touchstone.push(await perCpuS('./load-touchstone.ts'))
    process.stderr.write(`${written}: round ${index + 1} of ${values.rounds}\n`)
  }
  const [touchstonePerCpuS, stockPerCpuS] = [calculateRunStatistics(touchstone, 0), calculateRunStatistics(stock, 0)]
  return { written, touchstonePerCpuS, stockPerCpuS, ratio: roundTo(touchstonePerCpuS.median / stockPerCpuS.median, 2) }
}

using tools = await openLoadTools()
const cases = [await measure(tools, 'whole'), await measure(tools, 'flushed')]
console.log(JSON.stringify({ machine: describeMachine(), streams: Number(values.streams), atOnce: 50, cases }))
const reported = cases.map(
  ({ written, touchstonePerCpuS, stockPerCpuS, ratio }) =>
    `${written}: ${touchstonePerCpuS.median} streams per CPU second against ${stockPerCpuS.median} of k6 alone, ratio ${ratio}`,
)
console.log(`load: ${reported.join('; ')} (at least ${MIN_RATIO})`)
if (cases.some(({ ratio }) => ratio < MIN_RATIO)) process.exitCode = 1
