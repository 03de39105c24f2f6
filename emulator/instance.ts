import { getMember, omitUndefined } from '../common/json-object.ts'
import { Authenticator } from './core/check-access.ts'
import { createEndpoints } from './core/endpoints.ts'
import type { CoreServices } from './core/services.ts'
import { ExtensionOperations } from './extensions/extension-operations.ts'
import { DEFAULT_BEHAVIOUR_OPTIONS } from './options/unspecified-behaviour/behaviour-options.ts'
import { FaultInjector } from './scripting/faults/fault-injector.ts'
import {
  createRecordingProxy,
  createScriptedResponses,
  type ScriptedResponses,
} from './scripting/fixtures/scripted-responses.ts'
import { Observability } from './observability/observability.ts'
import { RecordedImages } from './scripting/fixtures/recorded-images.ts'
import type { RecordingProxy } from './scripting/fixtures/recording-proxy.ts'
import type { InstanceOptions } from './options/emulator-options.ts'
import { InvalidOptionError } from './options/invalid-option-error.ts'
import { DEFAULT_SETTINGS } from './options/settings.ts'
import {
  Accounts,
  describeAccountCreationError,
  STANDARD_ACCOUNT_KEYS,
  type CreateAccountOptions,
} from './state/accounts.ts'
import { parseNewAccount, type NewAccount } from './state/parse-new-account.ts'
import { createFrozenClock, createRealClock, type Clock } from './state/clock.ts'
import { requireNodeVersion } from './node-version.ts'
import type { LatencyProfile, TokenLatency } from './state/latency.ts'
import { createModelCatalog, type ModelCatalog } from './state/model-catalog.ts'
import { RequestCounter } from './state/request-counter.ts'
import { Scheduler } from './state/scheduler.ts'
import { Slots } from './state/slots.ts'

/** State and services of an emulator, without its transport. They outlive individual requests. */
export interface EmulatorInstance extends CoreServices {
  readonly accounts: Accounts
  readonly extensions: ExtensionOperations
  readonly observer: Observability
  readonly faults: FaultInjector
  readonly scripts: ScriptedResponses
  readonly proxy: RecordingProxy | undefined
  readonly recordedImages: RecordedImages
}

/**
 * Creates the state and services of an emulator.
 * @throws Error if Node.js is too old
 * @throws InvalidOptionError if an account, a fault, a fixture, a recording, a model or the latency is invalid
 */
export function createInstance(options: InstanceOptions): EmulatorInstance {
  requireNodeVersion()
  const {
    frozenAtUnixSeconds,
    clock: given,
    options: behaviourOptions = {},
    faults = [],
    models: customModels = [],
    accounts: initialAccounts = [],
    allowFaultHeader = false,
    ...others
  } = options
  const behaviour = { ...DEFAULT_BEHAVIOUR_OPTIONS, ...behaviourOptions }
  const models = createModelCatalog(customModels)
  const latency = addModelLatency(options.latency ?? DEFAULT_SETTINGS.latency, models)
  const settings = { ...DEFAULT_SETTINGS, ...others, behaviour, latency, models }
  const clock =
    given ?? (frozenAtUnixSeconds === undefined ? createRealClock() : createFrozenClock(frozenAtUnixSeconds))
  const recordedImages = new RecordedImages()
  const accounts = new Accounts(clock, settings, parseInitialAccounts(initialAccounts))
  return {
    settings,
    clock,
    accounts,
    endpoints: createEndpoints(options.extensions),
    extensions: new ExtensionOperations(settings),
    authenticator: new Authenticator(accounts, behaviour),
    requestCounter: new RequestCounter(),
    scheduler: new Scheduler(clock),
    load: { inFlight: 0, received: 0 },
    slots: createSlots(options, clock),
    observer: new Observability(clock, accounts, options.requestLog),
    faults: new FaultInjector(settings.seed, models, faults, allowFaultHeader),
    scripts: createScriptedResponses(options, models, recordedImages, { behaviour, clock }),
    proxy: createRecordingProxy(options, { behaviour, clock }, recordedImages),
    recordedImages,
  }
}

/**
 * Creates the slots of the requests in service.
 * @returns undefined if the option `slots` is not set
 * @throws InvalidOptionError if the option `queueLength` is set without `slots`
 */
function createSlots({ slots, queueLength }: InstanceOptions, clock: Clock): Slots | undefined {
  if (slots !== undefined) return new Slots(clock, slots, queueLength)
  if (queueLength === undefined) return undefined
  const expected = 'It limits the requests that wait for a slot: set the option slots, too.'
  throw new InvalidOptionError({ reason: 'invalid-value', option: 'queueLength', value: String(queueLength), expected })
}

/**
 * Parses the accounts that exist from the start.
 * @throws InvalidOptionError if an account is invalid, or has the key of another account
 */
function parseInitialAccounts(accounts: readonly NewAccount[]): readonly CreateAccountOptions[] {
  const invalid = (expected: string) =>
    new InvalidOptionError({ reason: 'invalid-value', option: 'accounts', expected })
  const keys = new Set<string>(Object.values(STANDARD_ACCOUNT_KEYS))
  return accounts.map((account) => {
    const parsed = parseNewAccount(account)
    if (typeof parsed === 'string') throw invalid(parsed)
    if (parsed.key !== undefined && keys.has(parsed.key)) throw invalid(describeAccountCreationError('key-in-use'))
    if (parsed.key !== undefined) keys.add(parsed.key)
    return parsed
  })
}

/**
 * Gives every alias the latency of its model, unless the profile defines one for the alias.
 * @throws InvalidOptionError if the profile defines a latency for an unknown model
 */
function addModelLatency(latency: LatencyProfile, models: ModelCatalog): LatencyProfile {
  const { byModel } = latency
  if (byModel === undefined) return latency
  const unknown = Object.keys(byModel).find((id) => !models.has(id))
  if (unknown !== undefined) {
    const expected = `There is no model '${unknown}'; the models are ${[...models.keys()].join(', ')}.`
    throw new InvalidOptionError({ reason: 'invalid-value', option: 'latency', expected })
  }
  const all = [...models.values()].map(({ id, specified = id }): [string, TokenLatency | undefined] => [
    id,
    getMember(byModel, id) ?? getMember(byModel, specified),
  ])
  return { ...latency, byModel: omitUndefined(Object.fromEntries(all)) }
}

/** Restores the initial state. Keeps the time of the clock, the number of requests received, and requests in progress. */
export function resetInstance({
  accounts,
  requestCounter,
  faults,
  scripts,
  observer,
  scheduler,
  slots,
  extensions,
}: EmulatorInstance): void {
  scheduler.flushDeferred() // Reports the end of earlier requests before their records are removed.
  accounts.reset()
  requestCounter.clear()
  slots?.forgetServiceTimes()
  faults.reset()
  scripts.reset()
  extensions.reset()
  observer.reset()
}
