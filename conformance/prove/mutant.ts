import type { EmulatorOptions } from '../../emulator/start-emulator.ts'
import type { ResultMatch } from './result-match.ts'
import type { Wire } from './wire.ts'

/**
 * A changed server: one way in which a deployment can deviate, or can make another legal choice, and the checks that must
 * notice. A proxy makes the change on the wire; the emulator behind it knows no mutants.
 */
export interface Mutant {
  /** `<section>/<name>`, stable. */
  readonly id: string
  /** What is wrong, as one would tell the operator. */
  readonly breaks: string
  /**
   * The checks that must turn to `fail` or `warn`, each with what it must find: a check that fails for another reason has
   * not caught the mutant. A check of unspecified behaviour must observe something else, and this.
   */
  readonly kills: Readonly<Record<string, ResultMatch>>
  /** Checks that may turn as well, because the same deviation affects them. */
  readonly mayTouch?: readonly string[]
  readonly wire: Wire
  /** Options of the emulator, where they bring the deviation to light. */
  readonly emulator?: Pick<EmulatorOptions, 'limitedRate' | 'decisions'>
  /** The key that the tester was given, where the service issues keys of another form. Default: the funded account's. */
  readonly fundedKey?: string
}
