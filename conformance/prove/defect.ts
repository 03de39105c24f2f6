import type { EmulatorOptions } from '../../emulator/start-emulator.ts'
import type { Wire } from './wire.ts'

/**
 * One way in which a deployment can be wrong, or can have made another legal choice, and the checks that must notice. It
 * is put on the wire before the emulator, which itself knows no defects.
 */
export interface Defect {
  /** `<section>/<name>`, stable. */
  readonly id: string
  /** What is wrong, as one would tell the operator. */
  readonly breaks: string
  /**
   * The checks that must turn to `fail` or `warn`, each with what its `actual` must then say: a check that fails for
   * another reason has not caught this defect. The `actual` of an observation must change, and say this.
   */
  readonly kills: Readonly<Record<string, RegExp>>
  /** Checks that may turn to blame as well, because the same fault lies in their way. */
  readonly mayTouch?: readonly string[]
  readonly wire: Wire
  /** Settings of the emulator, where they bring the fault to light. */
  readonly emulator?: Pick<EmulatorOptions, 'limitedRate' | 'decisions'>
  /** The key that the tester was given, where the service gives out keys of another form. Default: the funded account's. */
  readonly fundedKey?: string
}
