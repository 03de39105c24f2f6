import type { DifferencesOption } from '../../differences/declared-differences.ts'
import { matchAll, matchFieldsOf, matchOperation, type RequestMatcher } from '../../mutation/change/match.ts'
import { rewriteFields, rewriteKey } from '../../mutation/change/requests.ts'
import {
  changeResponses,
  changeStatus,
  changeSuccesses,
  createErrorResponse,
  respondWith,
  setBody,
  setHeader,
  setStatus,
} from '../../mutation/change/responses.ts'
import { changeFrames } from '../../mutation/change/stream.ts'
import type { ProxyHooks } from '../../mutation/proxy-hooks.ts'
import { EMULATOR_KEYS } from '../../sections/shared/mutants-emulator-keys.ts'
import { UNKNOWN_ENDPOINT, UNKNOWN_MODEL } from '../../sections/7-errors/errors.ts'

/** A server that departs from the specification as its owner declares. */
export interface DifferingServer {
  readonly differences: DifferencesOption
  /** Changes of the emulator that make it depart from the specification, exactly as declared. */
  readonly hooks: ProxyHooks
  /** Changes of this server that break the declaration in one place. */
  readonly broken: ProxyHooks
  /** A check that must fail because of `broken`. */
  readonly caughtBy: string
}

const why = 'a test'

const isInvalidKey: RequestMatcher = ({ headers }) =>
  !Object.values(EMULATOR_KEYS).some((key) => headers['authorization'] === `Bearer ${key}`)

const hasUnknownModel: RequestMatcher = ({ body }) => body.includes(UNKNOWN_MODEL)

/** Gives each request without a valid key the funded key. */
const withoutKeys = rewriteKey(isInvalidKey, EMULATOR_KEYS.funded)

const asErrorDetail = (response: Parameters<ReturnType<typeof setStatus>>[0]) =>
  response.status >= 400 ? setBody('{"detail":"refused"}', 'application/json')(response) : response

/** A server for each difference that an owner may declare, by the name of the difference. */
export const DIFFERING_SERVERS: Readonly<Record<keyof Required<DifferencesOption>, DifferingServer>> = {
  authentication: {
    differences: { authentication: { value: 'none', why } },
    hooks: withoutKeys,
    broken: respondWith(
      matchAll(matchOperation('speech'), ({ headers }) => headers['authorization'] === undefined),
      createErrorResponse(401),
    ),
    caughtBy: '5/no-header-speech',
  },
  invalidKeys: {
    differences: { invalidKeys: { value: 403, why } },
    hooks: changeStatus(401, setStatus(403)),
    broken: changeResponses(matchOperation('images'), (response) =>
      response.status === 403 ? setStatus(401)(response) : response,
    ),
    caughtBy: '5/unknown-key-images',
  },
  validationErrors: {
    differences: { validationErrors: { value: 422, why } },
    hooks: changeStatus(400, setStatus(422)),
    broken: changeResponses(
      matchFieldsOf('chat', ({ temperature }) => Number(temperature) > 2),
      (response) => (response.status === 422 ? setStatus(400)(response) : response),
    ),
    caughtBy: '4.2/temperature-above',
  },
  unknownModels: {
    differences: { unknownModels: { value: 400, why } },
    hooks: changeResponses(hasUnknownModel, (response) =>
      response.status === 404 ? setStatus(400)(response) : response,
    ),
    broken: changeResponses(matchAll(matchOperation('speech'), hasUnknownModel), (response) =>
      response.status === 400 ? setStatus(404)(response) : response,
    ),
    caughtBy: '7/unknown-model-speech',
  },
  unknownEndpoints: {
    differences: { unknownEndpoints: { value: 403, why } },
    hooks: changeResponses(
      ({ target }) => target.includes('touchstone-no-such-endpoint'),
      (response) => (response.status === 404 ? setStatus(403)(response) : response),
    ),
    broken: changeResponses(
      ({ method, target }) => method === 'GET' && target === UNKNOWN_ENDPOINT,
      (response) => (response.status === 403 ? setStatus(404)(response) : response),
    ),
    caughtBy: '7/unknown-endpoint-get',
  },
  missingCredits: {
    differences: { missingCredits: { value: 403, why } },
    hooks: changeStatus(402, setStatus(403)),
    broken: changeResponses(matchOperation('images'), (response) =>
      response.status === 403 ? setStatus(402)(response) : response,
    ),
    caughtBy: '5/no-credits-images',
  },
  temperatureRange: {
    differences: { temperatureRange: { value: 'unlimited', why } },
    hooks: rewriteFields(
      matchFieldsOf('chat', ({ temperature }) => Number(temperature) < 0 || Number(temperature) > 2),
      (fields) => ({ ...fields, temperature: 1 }),
    ),
    broken: respondWith(
      matchFieldsOf('chat', ({ temperature }) => Number(temperature) < 0),
      createErrorResponse(400),
    ),
    caughtBy: '4.2/temperature-below',
  },
  coercedValues: {
    differences: { coercedValues: { value: ['string'], why } },
    hooks: rewriteFields(
      matchFieldsOf('chat', ({ temperature }) => temperature === '1'),
      (fields) => ({
        ...fields,
        temperature: Number(fields['temperature']),
      }),
    ),
    // A boolean is not among the declared types.
    broken: rewriteFields(
      matchFieldsOf('chat', ({ temperature }) => temperature === true),
      (fields) => ({
        ...fields,
        temperature: 1,
      }),
    ),
    caughtBy: '4.2/temperature-wrong-type',
  },
  parameters: {
    differences: { parameters: { value: { temperature: 'rejected' }, why } },
    hooks: respondWith(
      matchFieldsOf('chat', (fields) => 'temperature' in fields),
      createErrorResponse(400),
    ),
    broken: respondWith(
      matchFieldsOf('images', (fields) => 'n' in fields),
      createErrorResponse(400),
    ),
    caughtBy: '4.3/n-one',
  },
  maxTokensDefault: {
    differences: { maxTokensDefault: { value: 1024, why } },
    hooks: rewriteFields(
      matchFieldsOf('chat', ({ max_tokens: maxTokens }) => maxTokens === undefined),
      (fields) => ({
        ...fields,
        max_tokens: 1024,
      }),
    ),
    broken: rewriteFields(
      matchFieldsOf('chat', ({ max_tokens: maxTokens }) => maxTokens === undefined),
      (fields) => ({
        ...fields,
        max_tokens: 2048,
      }),
    ),
    caughtBy: '8/max-tokens-default',
  },
  errorBodies: {
    differences: { errorBodies: { value: 'detail', why } },
    hooks: changeResponses(() => true, asErrorDetail),
    broken: changeStatus(404, setBody('{"message":"not found"}', 'application/json')),
    caughtBy: '7/error-body-404',
  },
  mediaTypes: {
    differences: { mediaTypes: { value: { speech: 'audio/mp3' }, why } },
    hooks: changeSuccesses(matchOperation('speech'), setHeader('content-type', 'audio/mp3')),
    broken: changeSuccesses(matchOperation('speech'), setHeader('content-type', 'application/octet-stream')),
    caughtBy: '4.5/media-type',
  },
  doneEvent: {
    differences: { doneEvent: { value: 'absent', why } },
    hooks: changeFrames((frames) => frames.filter((frame) => !frame.includes('[DONE]'))),
    broken: changeFrames((frames) => [...frames.filter((frame) => !frame.includes('[DONE]')), 'data: [DONE]\n\n']),
    caughtBy: '4.2/done-last',
  },
}
