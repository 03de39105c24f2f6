import type { PreparedOperation } from '../operations/operation.ts'
import { generatesContent } from '../operations/served-operations.ts'
import type { FormOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { Account } from '../state/accounts.ts'
import { createTokenSchedule, selectLatency } from '../state/latency.ts'
import { createSeededRandom } from '../state/seeded-random.ts'
import { isApiError, type ApiError } from './api-errors.ts'
import { RequestCharge } from './billing.ts'
import { checkAccess, type AccessGrant } from './check-access.ts'
import type { RequestContext } from './request-context.ts'
import {
  createResponse,
  buildErrorResponse,
  buildPreflightResponse,
  type ApiResponse,
  type ScheduledResponse,
  type CompleteResponse,
} from './response.ts'
import { createQueueFullError } from './service-queue.ts'
import type { CoreServices, ScriptedResponse, ValidRequest } from './services.ts'
import { validateRequest, type ValidatedBody } from './validate.ts'
import { whenReady } from './when-ready.ts'

/**
 * Runs the stages that turn a request under /v1 into a response. Each stage returns its result, or an {@link ApiError}
 * that ends the pipeline. The comments below list the error statuses of each stage.
 *
 * Returns synchronously if the body has arrived. Rejects if the client disconnects while the emulator reads the body.
 */
export function runPipeline(request: RequestContext, core: CoreServices): ApiResponse | Promise<ApiResponse> {
  const { settings } = core
  if (request.method === 'OPTIONS' && settings.behaviour.cors !== 'none') return buildPreflightResponse(request.headers)

  const access = checkAccess(request, core.endpoints, settings.behaviour) // Errors: 401, 429, 404.
  if (isApiError(access)) return createErrorResponse(access, core)

  const { operation } = access
  const validated =
    operation === 'responses' || operation === 'embeddings' || operation === 'stored-responses'
      ? core.extensions.validate(request, operation, access.account)
      : validateRequest(request, operation, settings) // Errors: 400, or 404 for an unknown model.
  return whenReady(validated, (body) => respond(request, access, body, core))
}

/** Runs the stages after validation. A fault may delay, change or replace the response. */
function respond(
  request: RequestContext,
  access: AccessGrant,
  validated: ValidatedBody | ApiError,
  core: CoreServices,
): ApiResponse | Promise<ApiResponse> {
  if (isApiError(validated)) return createErrorResponse(validated, core)
  const { work } = validated
  const valid = { ...validated, headers: request.headers, baseUrl: request.baseUrl, account: access.account }
  request.model = work.model
  request.ignoredFields = work.ignoredFields ?? request.ignoredFields

  return whenReady(injectFaultOrServe(request, access, valid, core), (response) => {
    if (request.ignoredFields.length === 0 || core.settings.behaviour['ignored-fields-header'] === 'none')
      return response
    const value = formatFieldNames(request.ignoredFields)
    return { ...response, headers: { ...response.headers, 'x-touchstone-ignored-fields': value } }
  })
}

function injectFaultOrServe(
  request: RequestContext,
  access: AccessGrant,
  valid: ValidRequest,
  core: CoreServices,
): ApiResponse | Promise<ApiResponse> {
  const fault = core.faults.selectFault(valid) // Error: 400 for an invalid fault header.
  if (fault === undefined) return serve(request, access, valid, core)
  if (isApiError(fault)) return createErrorResponse(fault, core)
  request.faultId = fault.id
  return fault.inject({
    respondAndBill: () => serve(request, access, valid, core),
    createErrorResponse: (error) => createErrorResponse(error, core),
  })
}

/**
 * Runs the stages after the selection of a fault: script lookup, hold, queue and generation. The emulator generates the
 * content even while the request waits for a slot, so that neither the content nor its order depends on the queue.
 */
function serve(
  request: RequestContext,
  access: AccessGrant,
  valid: ValidRequest,
  core: CoreServices,
): ApiResponse | Promise<ApiResponse> {
  const script = core.scripts.find(valid) // Error: 400 if the option `strictFixtures` is set and no fixture matches.
  if (isApiError(script)) return createErrorResponse(script, core)
  request.fixtureId = script?.fixtureId
  const respondAndBill = () => serveScript(request, access, valid, script, core)
  if (script?.fault === undefined || request.faultId !== undefined) return respondAndBill()
  request.faultId = script.fault.id
  return script.fault.inject({ respondAndBill, createErrorResponse: (error) => createErrorResponse(error, core) })
}

function serveScript(
  request: RequestContext,
  { account, requestUse }: AccessGrant,
  valid: ValidRequest,
  script: ScriptedResponse | undefined,
  core: CoreServices,
): ApiResponse | Promise<ApiResponse> {
  if (script?.kind === 'response') return script.response
  if (script !== undefined) noteScript(request, script)
  const work = script?.work ?? valid.work

  const slots = core.slots !== undefined && generatesContent(work.operation) ? core.slots : undefined
  if (slots?.isFull()) {
    requestUse?.reduceTo(0) // The rejection does not count against the request limit.
    return createErrorResponse(createQueueFullError(slots, core.settings.behaviour), core) // Error: 429 or 503.
  }

  // Errors: 429 for the token limit, 402 for missing credits.
  const bill = RequestCharge.open({ requestId: request.id, account, work, requestUse })
  if (isApiError(bill)) return createErrorResponse(bill, core)
  request.bill = bill // `sendResponse` settles the bill. If it does not, `handle-request.ts` releases the hold.
  request.slot = slots?.enter(request.arrivedAtMs) // `sendResponse` waits until the slot is free.

  return whenReady(generate(work, account, script, core), (generated) => {
    if (isApiError(generated)) {
      request.slot?.release()
      return createErrorResponse(generated, core) // Error: 400 for an unsupported JSON Schema.
    }
    const { behaviour } = core.settings
    const form = getForm(script)
    const response = createResponse(generated, work, form === undefined ? behaviour : { ...behaviour, ...form })
    return script === undefined ? response : { ...response, headers: { ...response.headers, ...script.headers } }
  })
}

/** Adds to the request log how the script differs from the request. */
function noteScript(request: RequestContext, { truncation, ignoredFields = [] }: ScriptedResponse): void {
  request.truncation = truncation
  if (ignoredFields.length > 0) request.ignoredFields = [...request.ignoredFields, ...ignoredFields]
}

/**
 * Generates a response and the due times of its tokens. The content depends only on the seed, the request, and the
 * number of earlier identical requests with the same key. The latency can also depend on the number of requests in
 * service.
 */
function generate(
  work: PreparedOperation,
  account: Account,
  script: ScriptedResponse | undefined,
  core: CoreServices,
): ScheduledResponse | ApiError | Promise<ScheduledResponse | ApiError> {
  const { clock, load, requestCounter, slots } = core
  const { seed, latency } = core.settings
  const { fingerprint, operation, model } = work
  const random = createSeededRandom(seed, fingerprint, requestCounter.next(account.id, fingerprint))
  const recorded = script?.kind === 'content' ? script : undefined
  const message = script?.kind === 'message' ? script.scripted : undefined
  const slowdown = 1 + latency.slowdownPerRequest * (slots?.busy ?? load.inFlight)
  return whenReady(
    recorded?.content ?? work.generate(random, clock.unixSeconds(), message, getForm(script)),
    (content) => {
      if (isApiError(content)) return content
      const latencies = selectLatency(latency, operation, model)
      return { content, schedule: recorded?.schedule ?? createTokenSchedule(latencies, slowdown, random) }
    },
  )
}

function getForm(script: ScriptedResponse | undefined): Partial<FormOptions> | undefined {
  return script?.kind === 'message' || script?.kind === 'generated' ? script.form : undefined
}

/** Joins field names for a response header. Percent-encodes `%`, commas, and characters outside visible ASCII. */
function formatFieldNames(names: readonly string[]): string {
  return names.map((name) => name.toWellFormed().replaceAll(/[^!-~]|[%,]/gu, encodeURIComponent)).join(', ')
}

function createErrorResponse(error: ApiError, { settings, clock }: CoreServices): CompleteResponse {
  return buildErrorResponse(error, { behaviour: settings.behaviour, clock })
}
