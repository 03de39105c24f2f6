import { Option } from 'commander'

/** Where the target is, and the keys, as `init` and `doctor` take them: by flag or from the environment. */
export function targetOption(): Option {
  return new Option('--target <url>', 'base address, with or without /v1').env('TOUCHSTONE_TARGET')
}

/** The variables that keys come from, by their role. */
export const KEY_VARIABLES = {
  funded: 'TOUCHSTONE_KEY',
  noCredits: 'TOUCHSTONE_KEY_NO_CREDITS',
  limited: 'TOUCHSTONE_KEY_LIMITED',
} as const

export function keyOptions(): Option[] {
  const noCreditsKey = new Option('--no-credits-key <key>', 'key of an account without credits')
  // The name starts like a negated flag and is none.
  noCreditsKey.negate = false
  return [
    new Option('--key <key>', 'key of an account with credits').env(KEY_VARIABLES.funded),
    noCreditsKey.env(KEY_VARIABLES.noCredits),
    new Option('--limited-key <key>', 'key with a tight rate limit').env(KEY_VARIABLES.limited),
  ]
}

/** Keys as these options give them. */
export interface KeyFlags {
  readonly key?: string
  readonly noCreditsKey?: string
  readonly limitedKey?: string
}

/** The keys that were given, by role. */
export function keysByRole({
  key,
  noCreditsKey,
  limitedKey,
}: KeyFlags): Partial<Record<keyof typeof KEY_VARIABLES, string>> {
  return {
    ...(key === undefined ? {} : { funded: key }),
    ...(noCreditsKey === undefined ? {} : { noCredits: noCreditsKey }),
    ...(limitedKey === undefined ? {} : { limited: limitedKey }),
  }
}
