import type { Operation } from '../../contract/facts.ts'
import type { CheckEntry } from '../../reports/conformance-document.ts'
import type { SecretMask } from '../evidence/secrets.ts'
import type { OptionNameFormatter } from '../options/option-names.ts'
import type { Outcome } from './outcome.ts'
import { describeOutcome } from './sentences/sentences.ts'

type OutcomeFields = Pick<CheckEntry, 'verdict' | 'code' | 'params' | 'expected' | 'actual' | 'consequence'>

export interface TextOptions {
  readonly mask: SecretMask
  readonly nameOption: OptionNameFormatter
}

/** Creates those fields of a check's entry that depend on its outcome. Masks keys. */
export function buildDocumentFields(
  outcome: Outcome,
  operation: Operation,
  { mask, nameOption }: TextOptions,
): OutcomeFields {
  const { verdict, code, params, expected, difference, consequence } = outcome
  const sentences = describeOutcome(outcome, nameOption)
  const all = {
    operation,
    ...(expected === undefined ? {} : { expected }),
    ...(difference === undefined ? {} : { difference }),
    ...params,
  }
  return {
    verdict,
    code,
    params: maskParams(all, mask),
    expected: sentences.expected.map((phrase) => mask.mask(phrase)),
    actual: mask.mask(sentences.actual),
    ...(consequence === undefined ? {} : { consequence: mask.mask(consequence) }),
  }
}

/** Masks each string in the parameters of a finding. */
export function maskParams(value: object, mask: SecretMask): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, maskStrings(member, mask)]))
}

function maskStrings(value: unknown, mask: SecretMask): unknown {
  if (typeof value === 'string') return mask.mask(value)
  if (Array.isArray(value)) return value.map((item) => maskStrings(item, mask))
  return typeof value === 'object' && value !== null ? maskParams(value, mask) : value
}
