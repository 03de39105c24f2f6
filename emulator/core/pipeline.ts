import { injectFault } from '../scripting/faults/inject-fault.ts'
import type { FaultInjector } from '../scripting/faults/fault-injector.ts'
import type { Recorder } from '../scripting/fixtures/recorder.ts'
import type { ScriptedResponses } from '../scripting/fixtures/scripted-responses.ts'
import { isApiError, type ApiError } from './api-errors.ts'
import type { Records } from '../observability/records.ts'
import type { Settings } from '../options/settings.ts'
import { generate } from './generate.ts'
import { open } from './open.ts'
import { price } from './price.ts'
import { ration } from './token-limit.ts'
import type { Received } from './receive.ts'
import { reserve } from './hold.ts'
import { respond, errorResponse, type ApiResponse } from './respond.ts'
import { validate, type ValidRequest } from './validate.ts'
import type { Accounts } from '../state/accounts.ts'
import type { Clock } from '../state/clock.ts'
import type { RequestCounter } from '../state/request-counter.ts'
import type { Scheduler } from '../state/scheduler.ts'
import type { TimingLog } from '../observability/timing-log.ts'

/** Everything of an emulator that outlives a request. */
export interface EmulatorInstance {
  readonly settings: Settings
  readonly clock: Clock
  readonly accounts: Accounts
  readonly ordinals: RequestCounter
  readonly scheduler: Scheduler
  readonly timings: TimingLog
  readonly records: Records
  readonly faults: FaultInjector
  /** Fixtures and recordings, where there are any. */
  readonly scripts: ScriptedResponses | undefined
  /** Passes everything on instead, where that is asked for. */
  readonly recorder: Recorder | undefined
  /** What is going on now. */
  readonly load: { inFlight: number; received: number }
}

/**
 * The path of every request under /v1, from top to bottom, with the status of those that leave at each stage. The types
 * allow no other order. Rejects when the client goes away while its body is read; nothing is held then.
 */
export async function answer(received: Received, instance: EmulatorInstance): Promise<ApiResponse> {
  const { settings, clock, faults } = instance
  const { decisions } = settings
  const refuse = (refusal: ApiError) => errorResponse(refusal, { decisions, clock })

  const opened = open(received, { clock, decisions }) // 401, 429, 404: authenticate, admit, locate
  if (isApiError(opened)) return refuse(opened)

  const checked = validate(opened, settings) // 400, 404 for the model
  const validated = checked instanceof Promise ? await checked : checked
  if (isApiError(validated)) return refuse(validated)
  received.notes.model = validated.work.model

  const fault = faults.selectFault(validated) // a scripted failure, or 400 for one in the request that cannot be read
  if (fault === undefined) return fulfil(validated, instance)
  if (isApiError(fault)) return refuse(fault)
  received.notes.fault = fault.id
  return injectFault(fault, () => fulfil(validated, instance))
}

/** The path of a valid request. */
function fulfil(validated: ValidRequest, instance: EmulatorInstance): ApiResponse {
  const { settings, clock, ordinals, load, scripts } = instance
  const { decisions } = settings
  const refuse = (refusal: ApiError) => errorResponse(refusal, { decisions, clock })

  const script = scripts?.find(validated) // a scripted answer; 500 where one must be and none is
  if (script !== undefined && isApiError(script)) return refuse(script)
  if (script?.kind === 'reply') return script.reply

  const rationed = ration(price(validated)) // 429
  if (isApiError(rationed)) return refuse(rationed)

  const reserved = reserve(rationed) // 402
  if (isApiError(reserved)) return refuse(reserved)

  const generated = generate(reserved, { clock, ordinals, ...settings, inFlight: load.inFlight, script })
  const reply = respond(generated, decisions) // settles, at once or at the stream's end
  return script?.kind === 'answer' ? { ...reply, headers: { ...reply.headers, ...script.headers } } : reply
}
