import { InvalidOptionError, type OptionName } from '../options/invalid-option-error.ts'
import type { LoadOptions } from '../options/load-options.ts'
import { SCENARIOS } from '../../scenarios/lib/scenarios.ts'
import { parseBudget } from '../verdict/parse-budget.ts'

/** Options that a search cannot be combined with, each with the reason. */
const EXCLUDED: readonly (readonly [OptionName, string])[] = [
  ['trace', 'A search chooses the rate of each run, but a trace determines its own rate.'],
  ['iterations', 'A search determines the number of requests of each run.'],
  [
    'upstream',
    'A search has several runs. Measure the added latency in a separate run, at the rate that the search finds.',
  ],
  ['segment', 'The segments of a search would choose different rates. Search with one process.'],
  ['startAtUnixMs', 'A search has several runs, and only one run could start at this time.'],
]

/** @throws InvalidOptionError for an option that a search cannot have */
export function validateSearch(options: LoadOptions): void {
  for (const [other, problem] of EXCLUDED) {
    const value = other === 'k6Options' ? undefined : options[other]
    if (value !== undefined && value !== false) conflict(other, problem)
  }
  const { arrivals, profile, scenario } = options
  if (options.findOver === 'streams') {
    for (const other of ['rate', 'maxRate'] as const) {
      if (options[other] !== undefined)
        conflict(other, 'A search over streams has no rate. Limit the number of clients instead.')
    }
    if (arrivals !== undefined && arrivals !== 'closed') {
      rejectArrivals(
        arrivals,
        'In a search over streams, each stream sends its next request after the previous response. Omit the arrivals.',
      )
    }
  } else if (arrivals === 'closed' || arrivals === 'trace') {
    rejectArrivals(
      arrivals,
      'A search over the rate needs planned arrivals, constant or poisson. For a closed loop, search over streams.',
    )
  }
  if (profile !== 'smoke') conflict('profile', 'Each run of a search has a steady rate.')
  if (SCENARIOS[scenario]?.isRepeatable === false) {
    conflict('scenario', `The requests of ${scenario} depend on earlier ones, so its runs cannot be compared.`)
  }
  for (const text of options.find) {
    const budget = parseBudget(text)
    const isLatency = budget.kind === 'latency' && budget.metric !== 'start_lag'
    const isFailures = budget.kind === 'count' && budget.metric.startsWith('failed.')
    if (isLatency || isFailures) continue
    const problem = `A search cannot use ${budget.metric}, because a higher rate does not necessarily make it worse. Use ttft, text_ttft, itl, tpot, e2e, failed.rate or failed.count.`
    throw new InvalidOptionError({ reason: 'invalid-value', option: 'find', value: text, problem })
  }
}

function rejectArrivals(value: string, problem: string): never {
  throw new InvalidOptionError({ reason: 'invalid-value', option: 'arrivals', value, problem })
}

function conflict(other: OptionName, problem: string): never {
  throw new InvalidOptionError({ reason: 'conflicting-options', option: 'find', other, problem })
}
