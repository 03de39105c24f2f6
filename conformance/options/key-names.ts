import type { TargetKeys } from './table-options.ts'

/** API keys of a run: the name of the key in options, and the name of its account in texts and JSON. */
export const KEY_NAMES = [
  { name: 'funded', account: 'funded' },
  { name: 'noCredits', account: 'no-credits' },
  { name: 'limited', account: 'limited' },
  { name: 'small', account: 'small' },
  { name: 'revoked', account: 'revoked' },
] as const satisfies readonly { readonly name: keyof TargetKeys; readonly account: string }[]
