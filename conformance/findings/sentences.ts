import { type OptionNameFormatter, formatLibraryOption } from '../options/table-options.ts'
import { type AnyFinding, formatList } from './define.ts'
import { describeExpectation } from './expectations.ts'
import { getFindingEntry } from './families.ts'
import type { Outcome } from './outcome.ts'
import { describeDifference } from './responses.ts'

/** Texts of an outcome: a phrase for each alternative that meets the expectation, and the sentence. */
export interface OutcomeTexts {
  readonly expected: readonly string[]
  readonly actual: string
}

/** Renders the texts of an outcome. `name` formats the names of options. */
export function describeOutcome(outcome: Outcome, name: OptionNameFormatter = formatLibraryOption): OutcomeTexts {
  const { expected, difference } = outcome
  const found = `${describeFinding(outcome, name)}${describeWanted(outcome)}`
  return {
    expected: expected === undefined ? [] : describeExpectation(expected),
    actual: difference === undefined ? found : `${describeDifference(difference)}: ${found}`,
  }
}

function describeWanted({ code, verdict, expected }: Outcome): string {
  const isUnexpected = code === 'unexpected-status' && verdict !== 'not-testable'
  return isUnexpected && expected !== undefined && 'status' in expected
    ? ` instead of ${formatList(describeExpectation(expected), 'or')}`
    : ''
}

/** Formats the sentence for a finding. Omits how its request differs from the plain request. */
export function describeFinding(finding: AnyFinding, name: OptionNameFormatter = formatLibraryOption): string {
  const describe = (nested: AnyFinding): string => describeFinding(nested, name)
  return getFindingEntry(finding).sentence(finding.params, { name, describe })
}
