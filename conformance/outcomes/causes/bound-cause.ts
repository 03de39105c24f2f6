import type { Outcome } from '../outcome.ts'
import type { CheckFinding, PossibleCause } from './finding.ts'
import { detectResponseFormat } from './title-parts.ts'

/**
 * Possible cause: completions are too long. The title contains the model if only completions of one model exceed the
 * bound.
 */
export const BOUND: PossibleCause = {
  key: 'bound',
  title: (members) => {
    const models = new Set(members.map(({ outcome }) => modelOf(outcome)))
    const [model] = models
    const kind = members.every(({ entry }) => detectResponseFormat(entry) === 'a stream') ? 'Streams' : 'Completions'
    const subject = models.size === 1 && model !== undefined ? `${kind} of \`${model}\`` : kind
    if (members.every((member) => excessOf(member) === 1)) {
      return `${subject} report one token more in \`usage\` than \`max_tokens\` allows`
    }
    return `${subject} have more tokens than \`max_tokens\` allows`
  },
}

/**
 * Returns by how many tokens the usage of a response exceeds its bound. Returns undefined if the usage or the bound is
 * unknown.
 */
function excessOf({ outcome: { code, params, expected } }: CheckFinding): number | undefined {
  if (code !== 'bound-exceeded' || !('actual' in params) || expected === undefined) return undefined
  const { actual, bound } = { bound: undefined, ...params }
  const expectedBound =
    'tokensAtMost' in expected ? expected.tokensAtMost : 'atMost' in expected ? expected.atMost : bound
  return typeof actual === 'number' && typeof expectedBound === 'number' ? actual - expectedBound : undefined
}

/** Returns the model of a finding about all responses if only responses of one model deviate. */
function modelOf({ difference }: Outcome): string | undefined {
  return difference !== undefined && 'responses' in difference ? difference.model : undefined
}
