import type { ConformanceOptions } from '../../conformance/run-conformance.ts'
import type { EmulatorOptions } from '../../emulator/start-emulator.ts'
import type { TestSetup } from './configure-software.ts'
import type { PackageSource } from './install.ts'
import type { RunningServer } from './start-server.ts'

/** A third-party server, and the options of the suite for it. */
export interface ThirdPartySoftware {
  /** Name of the file with the reviewed findings, without its suffix. */
  readonly id: string
  readonly title: string
  readonly source: PackageSource
  /** Options of the emulator that serves as the upstream of a proxy or gateway. */
  readonly emulator?: EmulatorOptions
  start(place: TestSetup): Promise<RunningServer>
  options(place: TestSetup): Pick<ConformanceOptions, 'keys' | 'headers' | 'models' | 'without'>
}
