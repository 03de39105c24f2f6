import type { EmulatorInstance } from './core/pipeline.ts'
import { DEFAULT_DECISIONS } from './options/unspecified-behaviour/decisions.ts'
import { FaultInjector, parseFaultInputs } from './scripting/faults/fault-injector.ts'
import { createRecorder, createScriptedResponses } from './scripting/fixtures/scripted-responses.ts'
import { Records } from './observability/records.ts'
import type { InstanceOptions } from './options/emulator-options.ts'
import { DEFAULT_SETTINGS } from './options/settings.ts'
import { Accounts } from './state/accounts.ts'
import { frozenClock, realClock } from './state/clock.ts'
import { RequestCounter } from './state/request-counter.ts'
import { Scheduler } from './state/scheduler.ts'
import { TimingLog } from './observability/timing-log.ts'

/**
 * Everything that an emulator is made of, but for what it is reached by.
 * @throws InvalidOptionError when a fault, a fixture or a recording is invalid
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

/** Restores the state of the start, except the clock and the count of requests. */
export function resetInstance({
  accounts,
  ordinals,
  timings,
  faults,
  scripts,
  records,
  scheduler,
}: EmulatorInstance): void {
  scheduler.flushDeferred() // completes the records of earlier requests
  accounts.reset()
  ordinals.clear()
  timings.clear()
  faults.reset()
  scripts?.clear()
  records.clear()
}
