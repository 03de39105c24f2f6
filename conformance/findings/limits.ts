import { PARAMETER_DEFAULTS } from '../../contract/facts.ts'
import { defineFinding } from './define.ts'
import { formatCount } from '../../common/format-count.ts'

/** A declaration of the owner: the target serves this number of requests in this time. */
export type DeclaredRateLimit = { readonly requests: number; readonly seconds: number }

export interface MissingLimit {
  readonly requests: number
  readonly rejected: number
  readonly actualStatus?: number
  readonly servedAfterS?: number
  readonly declared?: DeclaredRateLimit
}

export function describeLimit({ requests, seconds }: DeclaredRateLimit): string {
  return `the declared limit is ${requests} requests in ${seconds} s`
}

function describeMissingLimit({ requests, rejected, actualStatus, servedAfterS, declared }: MissingLimit): string {
  if (actualStatus === undefined) {
    const limit = declared === undefined ? '' : `; ${describeLimit(declared)}`
    return `none of ${requests} parallel chats got a 429, twice in a row${limit}`
  }
  const seen = `${rejected} of ${requests} parallel chats got a ${actualStatus} instead of a 429`
  return servedAfterS === undefined
    ? `${seen}, and others were served`
    : `${seen}; the key has credits, because the target served it again after ${servedAfterS} s`
}

/** `isDefault`: the request has no `max_tokens`. `declaredDefault`: the default that the owner declares. */
type ExceededBound = { readonly isDefault?: true; readonly declaredDefault?: number }

/** Completes the title of a completion that has more tokens or words than its bound. */
function describeExcess(
  completions: string,
  unit: string,
  { isDefault, declaredDefault = PARAMETER_DEFAULTS.max_tokens }: ExceededBound,
): string {
  return isDefault === undefined
    ? `${completions} have more ${unit} than \`max_tokens\` allows`
    : `${completions} without \`max_tokens\` have more ${unit} than the default of ${declaredDefault} tokens allows`
}

export const LIMITS = {
  'bound-exceeded': defineFinding<
    ExceededBound & { readonly path: string; readonly actual: number; readonly bound?: number }
  >({
    harm: 'money',
    sentence: ({ path, actual, bound }) =>
      `${path} is ${actual}${bound === undefined ? '' : `, and the bound ${bound}`}`,
    title: (params) => `${describeExcess('Completions', 'tokens', params)}, according to their \`usage\``,
    groupBy: ({ isDefault }) => [isDefault === undefined],
  }),
  'truncated-below-default': defineFinding<{ readonly actual: number }>({
    harm: 'data',
    sentence: ({ actual }) =>
      `finish_reason is "length" after ${formatCount(actual, 'token')}, although the request has no max_tokens`,
    title: ({ actual }) => `Completions without \`max_tokens\` are truncated after ${formatCount(actual, 'token')}`,
  }),
  /** Length of a completion without usage. A word has at least one token. `events` is set for a stream. */
  'text-exceeds-bound': defineFinding<ExceededBound & { readonly words: number; readonly events?: number }>({
    harm: 'money',
    sentence: ({ words, events }) =>
      `the completion reports no usage, but its ${words} words${events === undefined ? '' : ` in ${events} events`} are at least ${words} tokens`,
    title: ({ events, ...params }) => describeExcess(events === undefined ? 'Completions' : 'Streams', 'words', params),
    groupBy: ({ events, isDefault }) => [events === undefined, isDefault === undefined],
  }),
  /** A burst got no 429. `actualStatus` is the status of rejected requests, if there were any. */
  'limit-not-enforced': defineFinding<MissingLimit>({
    harm: 'status',
    sentence: describeMissingLimit,
    title: ({ actualStatus }) =>
      actualStatus === undefined
        ? 'The rate limit of the limited key is not enforced'
        : `Requests beyond the rate limit get ${actualStatus} instead of 429`,
    groupBy: ({ actualStatus }) => [actualStatus],
  }),
  'limit-shared-between-keys': defineFinding<object>({
    harm: 'status',
    sentence: () =>
      'the funded key got a 429 during the burst of the limited key, and the target served it without a burst',
    title: () => 'Different keys share a rate limit',
  }),
  /** The target served the key again later than Retry-After states, or did not serve it within `waitedS`. */
  'not-recovered': defineFinding<{ readonly waitedS: number; readonly retryAfterS?: number }>({
    harm: 'hang',
    sentence: ({ waitedS, retryAfterS }) =>
      retryAfterS === undefined
        ? `still 429 after ${waitedS} s`
        : `Retry-After was ${retryAfterS} s, but requests succeeded again only after ${waitedS} s`,
    title: () => 'A key is still rate limited after the time in Retry-After',
  }),
} as const
