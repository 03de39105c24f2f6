import type { Operation } from '../../../contract/facts.ts'
import type { Outcome } from '../outcome.ts'
import type { CheckFinding, PossibleCause } from './finding.ts'
import { conjugateLack, formatList, isPlural, listOperations, RESULT_NAMES } from './title-parts.ts'

/**
 * Returns the possible causes of a deviation in a result field: the field itself, the same field of other results, and
 * the family of all result fields of the operation.
 */
export function fieldCauses(operation: Operation, path: string, isStream: boolean): PossibleCause[] {
  const field = fieldCause(operation, normalize(path), isStream)
  const everywhere = !isStream && /(?:^|\.)created$/.test(path) ? [CREATED] : []
  return [field, ...everywhere, fieldsCause(operation, isStream)]
}

/** Cause of a missing or wrong `created` in the results of several operations, which often share its code. */
const CREATED: PossibleCause = {
  key: 'field created',
  title: (members) => {
    const [first = '', ...others] = listOperations(members).map((operation) => RESULT_NAMES[operation])
    const subjects = [first, ...others.map((name) => name.charAt(0).toLowerCase() + name.slice(1))]
    return `${formatList(subjects)} ${members.every(isMissing) ? 'lack `created`' : 'have a wrong `created`'}`
  },
}

/** Returns the possible cause that a field of a result, or of the chunks of streams, is missing or wrong. */
export function fieldCause(operation: Operation, path: string, isStream = false): PossibleCause {
  const subject = subjectOf(operation, isStream)
  return {
    key: `field ${subject} ${path}`,
    title: (members) =>
      members.every(isMissing)
        ? `${subject}${ofModel(members)} ${conjugateLack(subject)} \`${pathsOf(members)[0] ?? path}\``
        : `${subject}${ofModel(members)} ${isPlural(subject) ? 'have' : 'has'} a wrong \`${path}\``,
    families: [fieldsCause(operation, isStream)],
  }
}

/** Returns ` of` and the model if all findings concern responses of the same model, and an empty string otherwise. */
function ofModel(members: readonly CheckFinding[]): string {
  const models = new Set(members.map(({ outcome }) => modelOf(outcome)))
  const [model] = models
  return models.size === 1 && model !== undefined ? ` of \`${model}\`` : ''
}

function modelOf({ difference }: Outcome): string | undefined {
  if (difference === undefined) return undefined
  if ('responses' in difference) return difference.model
  const isModel = 'parameter' in difference && difference.parameter === 'model' && 'value' in difference
  return isModel && typeof difference.value === 'string' ? difference.value : undefined
}

function fieldsCause(operation: Operation, isStream: boolean): PossibleCause {
  const subject = subjectOf(operation, isStream)
  return {
    key: `fields ${subject}`,
    title: (members) => {
      const paths = pathsOf(members).map((path) => `\`${path}\``)
      return members.every(isMissing)
        ? `${subject} ${conjugateLack(subject)} ${formatList(paths)}`
        : `${subject} ${isPlural(subject) ? 'deviate' : 'deviates'} in ${formatList(paths)}`
    },
  }
}

function subjectOf(operation: Operation, isStream: boolean): string {
  return isStream ? 'Stream chunks' : RESULT_NAMES[operation]
}

/** Returns the generalized paths of the findings. If they name only one count of usage, its path stays. */
function pathsOf(members: readonly CheckFinding[]): string[] {
  const exact = [...new Set(members.flatMap(({ outcome }) => pathOf(outcome) ?? []))]
  const isOneCount = exact.filter((path) => normalize(path) === 'usage').length === 1
  return [...new Set(exact.map((path) => (isOneCount && path.startsWith('usage') ? path : normalize(path))))]
}

function pathOf(outcome: Outcome): string | undefined {
  const { params } = outcome.code === 'plain-response-deviates' ? outcome.params.deviation : outcome
  return 'path' in params && typeof params.path === 'string' ? params.path : undefined
}

/** Returns whether the field is missing. A check without the evidence that it needs did not find the field either. */
function isMissing({ outcome }: CheckFinding): boolean {
  return codeOf(outcome) === 'missing-field' || outcome.code === 'no-evidence'
}

function codeOf(outcome: Outcome): string {
  return outcome.code === 'plain-response-deviates' ? outcome.params.deviation.code : outcome.code
}

/**
 * Generalizes a path: `choices[0].message.role` becomes `choices[].message.role`, and the counts of usage become
 * `usage`.
 */
function normalize(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '[]').replace(/^usage\..*/, 'usage')
}
