import type { OptionNameFormatter } from '../../options/option-names.ts'
import type { KeyRole } from '../../requests/api-request.ts'
import { KEY_OPTION_NAMES } from '../run-obstacle.ts'

/** Phrases for the keys of a run. */
export const KEY_NAMES: Readonly<Record<KeyRole, string>> = {
  funded: 'the funded key',
  'no-credits': 'the no-credits key',
  limited: 'the limited key',
  small: 'the small key',
}

/** Advises the tester to provide a different key, by the name of its option. */
export function formatKeyAdvice(key: KeyRole, name: OptionNameFormatter): string {
  return `set ${name(KEY_OPTION_NAMES[key])} to ${KEY_ACCOUNTS[key]}`
}

const KEY_ACCOUNTS: Readonly<Record<KeyRole, string>> = {
  funded: 'a valid key',
  'no-credits': 'a valid key of an account without credits',
  limited: 'a valid key with credits',
  small: 'a valid key',
}
