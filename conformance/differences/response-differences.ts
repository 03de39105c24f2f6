import { isJsonObject } from '../../common/json-object.ts'
import type { Operation } from '../../contract/facts.ts'
import type { Outcome } from '../findings/outcome.ts'
import { type DifferenceKind, isDeparture, markContradiction, markDeclared, markFailed } from './difference-kind.ts'

/** Maximum tokens of a completion without `max_tokens`, or `none` if the target states no such number. */
export type MaxTokensDefault = number | 'none'

export const MAX_TOKENS_DEFAULT: DifferenceKind<MaxTokensDefault> = {
  text: (value) => (value === 'none' ? 'no default of max_tokens' : `max_tokens defaults to ${value}`),
  judge(value, outcome) {
    const length = findLengthWithoutBound(outcome)
    if (length === undefined) return undefined
    if (value === 'none' || length <= value) return markDeclared(outcome)
    const expected = { field: 'usage.completion_tokens', atMost: value }
    return outcome.code === 'bound-exceeded'
      ? { ...outcome, expected, params: { ...outcome.params, declaredDefault: value } }
      : { ...outcome, expected }
  },
  detect: (outcome) => (findLengthWithoutBound(outcome) === undefined ? undefined : 'none'),
}

/** Returns the tokens, or at least the words, of a completion that exceeds the default of `max_tokens`. */
function findLengthWithoutBound({ code, params }: Outcome): number | undefined {
  if (code === 'bound-exceeded' && params.isDefault === true) return params.actual
  return code === 'text-exceeds-bound' && params.isDefault === true ? params.words : undefined
}

/** Streams end without the event `[DONE]`. */
export const DONE_EVENT: DifferenceKind<'absent'> = {
  text: () => 'streams end without [DONE]',
  judge(_value, outcome) {
    const { expected } = outcome
    if (expected === undefined || !('rule' in expected) || expected.rule !== 'done-last') return undefined
    if (outcome.verdict === 'pass') return markContradiction(outcome, 'streams end without [DONE]')
    return isWithoutDone(outcome) ? markDeclared(outcome) : undefined
  },
  detect: (outcome) => (isWithoutDone(outcome) ? 'absent' : undefined),
}

function isWithoutDone(outcome: Outcome): boolean {
  const { code, params, difference } = outcome
  // A finding about some of the responses shows that the streams of the target end differently.
  const isOfAll = difference === undefined || !('of' in difference) || difference.responses === difference.of
  return isDeparture(outcome) && code === 'stream-malformed' && params.problem === 'no-done' && isOfAll
}

export type MediaTypes = Readonly<Partial<Record<Operation, string>>>

export const MEDIA_TYPES: DifferenceKind<MediaTypes> = {
  text: (types) =>
    Object.entries(types)
      .map(([operation, type]) => `${operation} results are ${type}`)
      .join(', '),
  judge(types, outcome, operation) {
    const { expected } = outcome
    const declared = types[operation]
    if (declared === undefined || expected === undefined || !('mediaType' in expected)) return undefined
    // A stream without its media type is unreadable for clients, whatever the owner declares.
    if (expected.mediaType === EVENT_STREAM) return undefined
    if (outcome.verdict === 'pass' && expected.mediaType !== declared) return markContradiction(outcome, declared)
    const found = findMediaType(outcome)
    if (found === undefined) return undefined
    return found === declared ? markDeclared(outcome) : { ...markFailed(outcome), expected: { mediaType: declared } }
  },
  detect(outcome, operation) {
    const type = findMediaType(outcome)
    return type === undefined ? undefined : { [operation]: type }
  },
}

const EVENT_STREAM = 'text/event-stream'

function findMediaType(outcome: Outcome): string | undefined {
  const { code, params, expected } = outcome
  const isOfResult = expected !== undefined && 'mediaType' in expected && expected.mediaType !== EVENT_STREAM
  return isOfResult && isDeparture(outcome) && code === 'unexpected-media-type' ? params.actualMediaType : undefined
}

/** Fields in which servers put the error instead of `error`, most common first. */
const ERROR_FIELDS = ['detail', 'message', 'errors', 'msg', 'title'] as const

/** Field of an error body that contains the error, instead of `error`. */
export const ERROR_BODIES: DifferenceKind<string> = {
  text: (field) => `error bodies have the field ${field}`,
  judge(_field, outcome) {
    const { expected } = outcome
    if (expected === undefined || !('errorField' in expected)) return undefined
    return outcome.verdict === 'pass' ? markDeclared(outcome) : markFailed(outcome)
  },
  detect({ expected }, _operation, bodies) {
    if (expected === undefined || !('rule' in expected) || expected.rule !== 'error-body') return undefined
    return ERROR_FIELDS.find(
      (field) => bodies.length > 0 && bodies.every((body) => isJsonObject(body) && field in body),
    )
  },
}
