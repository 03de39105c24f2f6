import type { EmulatorInstance } from './core/pipeline.ts'
import { DEFAULT_DECISIONS, type Decisions } from './options/unspecified-behaviour/decisions.ts'
import { FaultInjector, parseFaultInputs, type FaultInput } from './scripting/faults/fault-injector.ts'
import {
  createRecorder,
  createScriptedResponses,
  type FixtureOptions,
} from './scripting/fixtures/scripted-responses.ts'
import { Records } from './observability/records.ts'
import { DEFAULT_SETTINGS, type Settings } from './options/settings.ts'
import { Accounts } from './state/accounts.ts'
import { frozenClock, realClock, type Clock } from './state/clock.ts'
import { RequestCounter } from './state/request-counter.ts'
import { Scheduler } from './state/scheduler.ts'
import { TimingLog } from './observability/timing-log.ts'

/** What can be set of an emulator however it is reached. Everything is optional. */
export interface InstanceOptions extends Partial<Omit<Settings, 'decisions'>>, FixtureOptions {
  /** What to do where the document is silent, by id: see decisions.md. Default: as listed there. */
  readonly decisions?: Partial<Decisions>
  /** Failures to put on requests, tried in this order. */
  readonly faults?: readonly FaultInput[]
  /** True: a request may bring a fault of its own in the header `x-touchstone-fault`. */
  readonly allowFaultHeader?: boolean
  /** Stands for `created` in every answer, which are then identical to the byte. Default: the present time. */
  readonly frozenAtUnixSeconds?: number
  /** For tests of what takes long. Default: the machine's clock. */
  readonly clock?: Clock
}

/**
 * Everything that an emulator is made of, but for what it is reached by.
 * @throws SettingFault with one sentence when a fault, a fixture or a recording cannot be read
 */
export function createInstance(options: InstanceOptions): EmulatorInstance {
  const { frozenAtUnixSeconds, clock: given, decisions, faults = [], allowFaultHeader = false, ...others } = options
  const settings = { ...DEFAULT_SETTINGS, ...others, decisions: { ...DEFAULT_DECISIONS, ...decisions } }
  const clock = given ?? (frozenAtUnixSeconds === undefined ? realClock() : frozenClock(frozenAtUnixSeconds))
  const accounts = new Accounts(clock, settings)
  return {
    settings,
    clock,
    accounts,
    ordinals: new RequestCounter(),
    scheduler: new Scheduler(clock),
    timings: new TimingLog(),
    scripts: createScriptedResponses(options),
    recorder: createRecorder(options, { decisions: settings.decisions, clock }),
    faults: new FaultInjector(settings.seed, parseFaultInputs(faults), allowFaultHeader),
    records: new Records(clock, accounts, settings.journal),
    load: { inFlight: 0, received: 0 },
  }
}

/** Puts everything back to where it was at the start, but for the time and the count of requests. */
export function resetInstance({
  accounts,
  ordinals,
  timings,
  faults,
  scripts,
  records,
  scheduler,
}: EmulatorInstance): void {
  scheduler.flushDeferred() // of what was before
  accounts.reset()
  ordinals.clear()
  timings.clear()
  faults.reset()
  scripts?.clear()
  records.clear()
}
