import type { EmulatorOptions } from '../../emulator/start-emulator.ts'
import type { ResultMatch } from './result-match.ts'
import type { ProxyHooks } from './proxy-hooks.ts'

/**
 * A change to the server, with the checks that must detect it. The change violates the specification, or makes a
 * different choice where the specification leaves one open. A proxy in front of the emulator applies it to requests and
 * responses, so the emulator itself contains no mutants.
 */
export interface Mutant {
  /** Stable ID: `<section>/<name>`. */
  readonly id: string
  /** Describes the change in a sentence, which starts with `nothing:` if the changed server still conforms. */
  readonly breaks: string
  /**
   * Expected finding of each check that must detect the change, by check ID. The check must return `fail` or `warn`
   * with this finding; a failure for a different reason does not catch the mutant. A check of unspecified behaviour
   * must observe this result, and a different one without the mutant.
   */
  readonly kills: Readonly<Record<string, ResultMatch>>
  /** Checks that may also fail because the change affects their requests. */
  readonly mayAffect?: readonly string[]
  readonly hooks: ProxyHooks
  /** Emulator options that the change requires. */
  readonly emulator?: Pick<EmulatorOptions, 'limitedRate' | 'options'>
  /** API key for the suite, if the changed server issues keys in another format. */
  readonly fundedKey?: string
  /** Timeout of the suite in milliseconds, if the changed server does not respond. Default: that of the suite. */
  readonly timeoutMs?: number
}
