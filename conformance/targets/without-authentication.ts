import type { DifferencesOption } from '../differences/declared-differences.ts'
import type { OptionalPart } from '../options/optional-parts.ts'
import type { TargetKeys } from '../options/table-options.ts'
import { NO_KEY } from '../requests/api-request.ts'

interface TargetWithoutKeys {
  readonly keys?: TargetKeys
  readonly without?: readonly OptionalPart[]
  readonly differences?: DifferencesOption
}

/**
 * Completes the options for a target without authentication: it needs no key, and has no accounts, so that it has neither
 * credits nor a rate limit of a key. Returns other options unchanged.
 */
export function completeWithoutAuthentication<Options extends TargetWithoutKeys>(options: Options): Options {
  const { keys, without = [], differences } = options
  if (!without.includes('authentication') && differences?.authentication === undefined) return options
  return {
    ...options,
    keys: { funded: NO_KEY, ...keys },
    without: [...without.filter((part) => part !== 'authentication'), 'credits', 'rate-limit'],
    differences: {
      authentication: { value: 'none', why: 'the owner states that the target has no keys' },
      ...differences,
    },
  }
}
