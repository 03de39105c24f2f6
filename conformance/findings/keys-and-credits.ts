import type { OptionNameFormatter } from '../options/table-options.ts'
import type { KeyRole } from '../requests/api-request.ts'
import { defineFinding } from './define.ts'
import { describeCharge, formatCredits } from './facts.ts'
import type { ChatCharge } from './fact-params.ts'
import { KEY_OPTION_NAMES } from './run-obstacle.ts'

const KEY_ACCOUNTS: Readonly<Record<KeyRole, string>> = {
  funded: 'a valid key',
  'no-credits': 'a valid key of an account without credits',
  limited: 'a valid key with credits',
  small: 'a valid key',
}

/** Advises the tester to provide a different key, by the name of its option. */
export function formatKeyAdvice(key: KeyRole, name: OptionNameFormatter): string {
  return `set ${name(KEY_OPTION_NAMES[key])} to ${KEY_ACCOUNTS[key]}`
}

export type ServedShare = { readonly served: number; readonly requests: number }

/** Chats of an account, and the balance that they may have exceeded. */
export type Spending = ServedShare & {
  readonly credits: number
  readonly balance: number
  /** Balance of the account after the chats, in credits. */
  readonly left?: number
}

export function describeSpending({ served, requests, credits, balance, left }: Spending): string {
  const after = left === undefined ? '' : `, and ${left} credits were left after them`
  return `${served} of ${requests} parallel chats were served; they cost at least ${credits} credits, and the balance was ${balance}${after}`
}

export const KEYS_AND_CREDITS = {
  'key-without-prefix': defineFinding<object>({
    harm: 'status',
    sentence: () => 'a key without the prefix was accepted',
    title: () => 'A key without the prefix `sk-svc-` is accepted',
  }),
  'response-of-another-key': defineFinding<{ readonly repeated: number; readonly requests: number }>({
    harm: 'data',
    sentence: ({ repeated, requests }) =>
      `${repeated} of ${requests} requests without a valid key or without credits got the response to the same request with another key`,
    title: () => 'A cache ignores the key: it sends the responses of one key to requests with another, or without one',
    remedy: () =>
      'include the header Authorization in the key of the cache (nginx: "proxy_cache_key $http_authorization$request_uri$request_body"; Varnish: hash_data(req.http.Authorization)), or check the key before the cache responds',
  }),
  'wrong-charge': defineFinding<{ readonly bills: readonly ChatCharge[] }>({
    harm: 'money',
    sentence: ({ bills }) => `charged ${bills.map(describeCharge).join(', ')}`,
    title: () => 'Chats are not charged at the price of the table',
  }),
  /** The charge of aborted streams exceeds their prompts and `max_tokens` at the price of the table. Both in units. */
  'aborts-overcharged': defineFinding<{
    readonly streams: number
    readonly units: number
    readonly maxUnits: number
  }>({
    harm: 'money',
    sentence: ({ streams, units, maxUnits }) =>
      `charged ${formatCredits(units)} for ${streams} aborted streams, whose prompts and max_tokens cost at most ${formatCredits(maxUnits)}`,
    title: () => 'Streams that clients abort are charged for more tokens than `max_tokens` allows',
  }),
  'balance-exceeded': defineFinding<Spending>({
    harm: 'money',
    sentence: describeSpending,
    title: () => 'Parallel chats spend more credits than the account has',
  }),
} as const
