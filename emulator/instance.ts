import { Authenticator } from './core/check-access.ts'
import type { CoreServices } from './core/services.ts'
import { DEFAULT_BEHAVIOUR_OPTIONS } from './options/unspecified-behaviour/behaviour-options.ts'
import { FaultInjector, parseFaultInputs } from './scripting/faults/fault-injector.ts'
import {
  createRecorder,
  createScriptedResponses,
  type ScriptedResponses,
} from './scripting/fixtures/scripted-responses.ts'
import { Observability } from './observability/observability.ts'
import type { RecordingProxy } from './scripting/fixtures/recorder.ts'
import type { InstanceOptions } from './options/emulator-options.ts'
import { DEFAULT_SETTINGS } from './options/settings.ts'
import { Accounts } from './state/accounts.ts'
import { createFrozenClock, createRealClock } from './state/clock.ts'
import { RequestCounter } from './state/request-counter.ts'
import { Scheduler } from './state/scheduler.ts'

/** State and services of an emulator that outlive a request, without the transport. */
export interface EmulatorInstance extends CoreServices {
  readonly accounts: Accounts
  readonly observer: Observability
  readonly faults: FaultInjector
  readonly scripts: ScriptedResponses
  readonly proxy: RecordingProxy | undefined
}

/**
 * Creates the state and services of an emulator.
 * @throws InvalidOptionError if a fault, a fixture or a recording is invalid
 */
export function createInstance(options: InstanceOptions): EmulatorInstance {
  const {
    frozenAtUnixSeconds,
    clock: given,
    decisions = {},
    faults = [],
    allowFaultHeader = false,
    ...others
  } = options
  const behaviour = { ...DEFAULT_BEHAVIOUR_OPTIONS, ...decisions }
  const settings = { ...DEFAULT_SETTINGS, ...others, behaviour }
  const clock =
    given ?? (frozenAtUnixSeconds === undefined ? createRealClock() : createFrozenClock(frozenAtUnixSeconds))
  const accounts = new Accounts(clock, settings)
  return {
    settings,
    clock,
    accounts,
    authenticator: new Authenticator(accounts, behaviour),
    requestCounter: new RequestCounter(),
    scheduler: new Scheduler(clock),
    load: { inFlight: 0, received: 0 },
    observer: new Observability(clock, accounts, options.journal),
    faults: new FaultInjector(settings.seed, parseFaultInputs(faults), allowFaultHeader),
    scripts: createScriptedResponses(options),
    proxy: createRecorder(options, { behaviour, clock }),
  }
}

/** Restores the initial state, except for the clock and the number of requests received. */
export function resetInstance({
  accounts,
  requestCounter,
  faults,
  scripts,
  observer,
  scheduler,
}: EmulatorInstance): void {
  scheduler.flushDeferred() // Reports the end of earlier requests.
  accounts.reset()
  requestCounter.clear()
  faults.reset()
  scripts.reset()
  observer.clear()
}
