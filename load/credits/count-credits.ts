import type { LoadCredits } from '../../reports/load-document.ts'
import { parseCredits } from '../../scenarios/lib/credits.ts'
import type { SpendLimitResult } from '../../scenarios/lib/extension-result.ts'
import type { LoadFinding } from '../findings/finding.ts'
import { listEntries, type Measurements } from '../metrics/measurements.ts'
import type { Balances } from './watch-balance.ts'
import { calculateTokenUnits, formatUnits } from './units.ts'
import { type CostEstimate, describeExactness } from './cost-estimate.ts'

export interface CostRecord {
  readonly estimate: CostEstimate | null
  /** Sentence about costs that the credits do not include. */
  readonly note?: string
  /** Balance of the account at the emulator before and after the run, or null for other targets. */
  readonly balances: Balances | null
}

/**
 * Calculates the credits of a run. If all responses report usage, and the ledger charged neither the cost of all tokens
 * nor that of the completion tokens, `contradiction` is a finding.
 * @param known null if the target has no credits
 */
export function countCredits(
  measurements: Measurements,
  known: CostRecord | null,
): { credits: LoadCredits; contradiction: LoadFinding | null } {
  const tokens = Object.fromEntries(
    Object.entries(measurements.tokens).map(([model, { prompt, completion }]) => [model, { prompt, completion }]),
  )
  if (known === null) return { credits: { estimate: null, counted: null, ledger: null, tokens }, contradiction: null }
  const { units, unlisted } = calculateTokenUnits(measurements.tokens)
  const estimated = Object.values(measurements.tokens).some((tokens) => tokens.estimated > 0)
  const isUncounted = listEntries(measurements.requests.byOperation).some(
    ([name, { sent }]) => sent > 0 && !isCounted(name),
  )
  const isUnknown = isUncounted || unlisted.length > 0
  const ledgerUnits = chargedUnits(known)
  const notes = [
    ...(isUncounted ? ['Responses of images and audio report no usage, and are not counted.'] : []),
    ...(estimated
      ? [
          'Some streams reported no usage: their completion tokens are counted by events, and their prompt tokens are not counted.',
        ]
      : []),
    ...(unlisted.length === 0 ? [] : [`The specification gives no price for ${unlisted.join(', ')}.`]),
    ...([measurements.requests, measurements.warmUp].every(
      (counts) => (counts?.aborted ?? 0) + (counts?.failed ?? 0) === 0,
    )
      ? []
      : ['Aborted and failed requests report no usage, and are not counted.']),
    ...(known.balances?.isShared === true
      ? [
          'Other clients used the account during the run. The ledger contains their charges too, so it is not compared with the usage.',
        ]
      : []),
  ]
  const maxUnits = known.estimate?.units ?? null
  const remarks = [
    ...remarksOnEstimate(known.estimate, units),
    ...(known.note === undefined ? [] : [known.note]),
    ...notes,
  ]
  const credits = {
    estimate: maxUnits === null ? null : formatUnits(maxUnits),
    // Null if the cost is unknown, because the responses contain no usage, or because no model has a price.
    counted: Object.keys(measurements.tokens).length === 0 || (units === 0 && isUnknown) ? null : formatUnits(units),
    ledger: ledgerUnits === null ? null : formatUnits(ledgerUnits),
    tokens,
    ...(remarks.length === 0 ? {} : { note: remarks.join(' ') }),
  }
  // The specification leaves open whether prompts are charged (section 8), so a charge for completion tokens alone is
  // valid.
  const isOfCompletions = ledgerUnits === calculateTokenUnits(withoutPrompts(measurements.tokens)).units
  const isContradicted = ledgerUnits !== null && notes.length === 0 && ledgerUnits !== units && !isOfCompletions
  return {
    credits,
    contradiction: isContradicted
      ? { code: 'credits-differ', params: { counted: formatUnits(units), charged: formatUnits(ledgerUnits) } }
      : null,
  }
}

function remarksOnEstimate(estimate: CostEstimate | null, countedUnits: number): string[] {
  const exactness = estimate === null ? null : describeExactness(estimate)
  const exceedsEstimate = estimate !== null && estimate.units !== null && countedUnits > estimate.units
  return [
    ...(exactness === null ? [] : [exactness]),
    ...(exceedsEstimate
      ? [
          'The run cost more than the estimate: the target counts more prompt tokens than bytes sent, or more completion tokens than max_tokens.',
        ]
      : []),
  ]
}

function withoutPrompts(tokens: Measurements['tokens']): Measurements['tokens'] {
  return Object.fromEntries(Object.entries(tokens).map(([model, counted]) => [model, { ...counted, prompt: 0 }]))
}

/** Returns whether the cost of an operation is known: its responses report usage, or they cost nothing. */
function isCounted(operation: string): boolean {
  return operation === 'chat' || operation === 'chat-stream' || operation === 'models'
}

function chargedUnits({ balances }: CostRecord): number | null {
  if (balances === null) return null
  const [before, after] = [parseCredits(balances.before), parseCredits(balances.after)]
  return before === undefined || after === undefined ? null : before - after
}

export function buildSpendLimitFinding({
  limitUnits,
  countedUnits,
  underWayUnits,
  nextUnits,
}: SpendLimitResult): LoadFinding {
  const params = {
    limit: formatUnits(limitUnits),
    counted: formatUnits(countedUnits),
    underWay: formatUnits(underWayUnits),
    next: formatUnits(nextUnits),
  }
  return { code: 'spend-limit-reached', params }
}
