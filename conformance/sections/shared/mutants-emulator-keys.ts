import { matchHeader, type RequestMatcher } from '../../mutation/change/match.ts'

export const EMULATOR_KEYS = {
  funded: 'sk-svc-touchstone-funded',
  noCredits: 'sk-svc-touchstone-empty',
  limited: 'sk-svc-touchstone-limited',
  small: 'sk-svc-touchstone-small',
} as const

export function matchKey(account: keyof typeof EMULATOR_KEYS): RequestMatcher {
  return matchHeader('authorization', new RegExp(`${EMULATOR_KEYS[account]}$`))
}
