import type { EmulatorOptions } from '../../emulator/start-emulator.ts'
import type { ResultMatch } from './result-match.ts'
import type { Wire } from './wire.ts'

/**
 * A changed server: one deviation, or another conforming choice, with the checks that must notice it. A proxy changes
 * requests and responses; the emulator behind it contains no mutants.
 */
export interface Mutant {
  /** `<section>/<name>`, stable. */
  readonly id: string
  /** The deviation, as a sentence for an operator. */
  readonly breaks: string
  /**
   * The checks that must return `fail` or `warn`, each with its expected finding: a check that fails for another reason
   * has not caught the mutant. A check of unspecified behaviour must make this observation instead of its usual one.
   */
  readonly kills: Readonly<Record<string, ResultMatch>>
  /** Checks that may fail as well, because the same deviation affects them. */
  readonly mayAffect?: readonly string[]
  readonly wire: Wire
  /** Emulator options that make the deviation visible. */
  readonly emulator?: Pick<EmulatorOptions, 'limitedRate' | 'decisions'>
  /** The key given to the suite, if the service issues keys of another form. Default: the key of the funded account. */
  readonly fundedKey?: string
}
