import type { LoadCredits } from '../../reports/load-document.ts'
import { unitsFromCredits } from '../../scenarios/lib/credits.ts'
import { entriesOf, type Facts } from '../metrics/measurements.ts'
import { countUnits, creditsFromUnits } from './units.ts'
import { exactnessOf, type Forecast } from './cost-estimate.ts'

/** What is known of money beside the facts. */
export interface MoneyKnown {
  /** Null: nobody made one. */
  readonly forecast: Forecast | null
  /** What is to be told beside the figures, one sentence each. */
  readonly notes: readonly string[]
  /** Balance of the account before and after, as the emulator tells; null for other targets. */
  readonly balances: { readonly before: string; readonly after: string } | null
}

/** The money of a run, and a sentence where counted and charged differ although all that was charged should have been counted. */
export function countCredits(facts: Facts, known: MoneyKnown): { credits: LoadCredits; contradiction: string | null } {
  const { units, unlisted } = countUnits(facts.tokens)
  const estimated = Object.values(facts.tokens).some((tokens) => tokens.estimated > 0)
  const isUncounted = entriesOf(facts.requests.byOperation).some(([name, { sent }]) => sent > 0 && !isCounted(name))
  const ledgerUnits = chargedUnits(known)
  const notes = [
    ...(isUncounted ? ['Images and audio report no usage: they are not counted.'] : []),
    ...(estimated
      ? ['Some streams reported no usage: their completion tokens are counted by events, their prompts not.']
      : []),
    ...(unlisted.length === 0 ? [] : [`The document has no price for ${unlisted.join(', ')}.`]),
    ...(facts.requests.aborted + facts.requests.failed === 0
      ? []
      : ['Requests that were left or failed report no usage: they are not counted.']),
  ]
  const most = known.forecast?.units ?? null
  const told = [...aboutForecast(known.forecast, units), ...known.notes, ...notes]
  const credits = {
    forecast: most === null ? null : creditsFromUnits(most),
    // Of images and audio alone nothing is counted, which is not to say that they cost nothing.
    counted: Object.keys(facts.tokens).length === 0 || (units === 0 && isUncounted) ? null : creditsFromUnits(units),
    ledger: ledgerUnits === null ? null : creditsFromUnits(ledgerUnits),
    tokens: Object.fromEntries(
      Object.entries(facts.tokens).map(([model, { prompt, completion }]) => [model, { prompt, completion }]),
    ),
    ...(told.length === 0 ? {} : { note: told.join(' ') }),
  }
  // The document leaves open whether prompts cost the same (section 8): an emulator may be told that they are free.
  const isOfCompletions = ledgerUnits === countUnits(withoutPrompts(facts.tokens)).units
  const isContradicted = ledgerUnits !== null && notes.length === 0 && ledgerUnits !== units && !isOfCompletions
  return {
    credits,
    contradiction: isContradicted
      ? `Counted from usage were ${creditsFromUnits(units)} credits, and the ledger was charged ${creditsFromUnits(ledgerUnits)}.`
      : null,
  }
}

function aboutForecast(forecast: Forecast | null, countedUnits: number): string[] {
  const exactness = forecast === null ? null : exactnessOf(forecast)
  const isBeyond = forecast?.units !== null && forecast !== null && countedUnits > forecast.units
  return [
    ...(exactness === null ? [] : [exactness]),
    ...(isBeyond
      ? ['More was counted than was forecast: the target counts more than it was sent, or than max_tokens.']
      : []),
  ]
}

function withoutPrompts(tokens: Facts['tokens']): Facts['tokens'] {
  return Object.fromEntries(Object.entries(tokens).map(([model, counted]) => [model, { ...counted, prompt: 0 }]))
}

/** Operations whose answers say what they cost. The list of models costs nothing. */
function isCounted(operation: string): boolean {
  return operation === 'chat' || operation === 'chat-stream' || operation === 'models'
}

function chargedUnits({ balances }: MoneyKnown): number | null {
  if (balances === null) return null
  const [before, after] = [unitsFromCredits(balances.before), unitsFromCredits(balances.after)]
  return before === undefined || after === undefined ? null : before - after
}
