import { omitUndefined } from '../../common/json-object.ts'
import type { Operation } from '../../contract/facts.ts'
import type { CheckEntry } from '../../reports/conformance-document.ts'
import type { SecretMask } from '../evidence/secrets.ts'
import type { OptionNameFormatter } from '../options/table-options.ts'
import type { Outcome } from './outcome.ts'
import { getObservedValue } from './observed-value.ts'
import { describeOutcome } from './sentences.ts'

type OutcomeFields = Pick<
  CheckEntry,
  'verdict' | 'code' | 'params' | 'value' | 'expected' | 'actual' | 'consequence' | 'differences'
>

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
  const { verdict, code, expected, difference, differences, consequence } = outcome
  const all: Readonly<Record<string, unknown>> = {
    ...omitUndefined({ operation, expected, difference }),
    ...outcome.params,
  }
  const sentences = { ...describeOutcome(outcome, nameOption), ...omitUndefined({ consequence }) }
  const params = mask.maskJson(all)
  // Without a secret in its parameters, a sentence contains only our own words, which may be words of a key.
  const value = outcome.code === 'observed-response' ? { value: getObservedValue(outcome.params.seen) } : {}
  return {
    verdict,
    code,
    params,
    ...omitUndefined({ differences }),
    ...mask.maskJson(value),
    ...(params === all ? sentences : mask.maskJson(sentences)),
  }
}
