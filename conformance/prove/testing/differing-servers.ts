import type { DifferencesOption } from '../../differences/declared-differences.ts'
import { matchFieldsOf, matchOperation, type RequestMatcher } from '../../mutation/change/match.ts'
import { rewriteFields, rewriteKey } from '../../mutation/change/requests.ts'
import {
  changeResponses,
  changeStatus,
  changeSuccesses,
  rejectRequests,
  setBody,
  setHeader,
  setStatus,
} from '../../mutation/change/responses.ts'
import { changeFrames } from '../../mutation/change/stream.ts'
import type { ProxyHooks } from '../../mutation/proxy-hooks.ts'
import { EMULATOR_KEYS } from '../../sections/shared/mutants-emulator-keys.ts'
import { UNKNOWN_ENDPOINT, UNKNOWN_MODEL } from '../../sections/7-errors/errors.ts'

export interface DifferingServer {
  readonly differences: DifferencesOption
  readonly hooks: ProxyHooks
  readonly broken: ProxyHooks
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
    broken: rejectRequests(
      matchOperation('speech', ({ headers }) => headers['authorization'] === undefined),
      401,
    ),
    caughtBy: '5/no-header-speech',
  },
  invalidKeys: {
    differences: { invalidKeys: { value: 403, why } },
    hooks: changeStatus(401, setStatus(403)),
    broken: changeStatus(403, setStatus(401), matchOperation('images')),
    caughtBy: '5/unknown-key-images',
  },
  validationErrors: {
    differences: { validationErrors: { value: 422, why } },
    hooks: changeStatus(400, setStatus(422)),
    broken: changeStatus(
      422,
      setStatus(400),
      matchFieldsOf('chat', ({ temperature }) => Number(temperature) > 2),
    ),
    caughtBy: '4.2/temperature-above',
  },
  unknownModels: {
    differences: { unknownModels: { value: 400, why } },
    hooks: changeStatus(404, setStatus(400), hasUnknownModel),
    broken: changeStatus(400, setStatus(404), matchOperation('speech', hasUnknownModel)),
    caughtBy: '7/unknown-model-speech',
  },
  unknownEndpoints: {
    differences: { unknownEndpoints: { value: 403, why } },
    hooks: changeStatus(404, setStatus(403), ({ target }) => target.includes('touchstone-no-such-endpoint')),
    broken: changeStatus(403, setStatus(404), ({ method, target }) => method === 'GET' && target === UNKNOWN_ENDPOINT),
    caughtBy: '7/unknown-endpoint-get',
  },
  missingCredits: {
    differences: { missingCredits: { value: 403, why } },
    hooks: changeStatus(402, setStatus(403)),
    broken: changeStatus(403, setStatus(402), matchOperation('images')),
    caughtBy: '5/no-credits-images',
  },
  temperatureRange: {
    differences: { temperatureRange: { value: 'unlimited', why } },
    hooks: rewriteFields(
      matchFieldsOf('chat', ({ temperature }) => Number(temperature) < 0 || Number(temperature) > 2),
      { temperature: 1 },
    ),
    broken: rejectRequests(
      matchFieldsOf('chat', ({ temperature }) => Number(temperature) < 0),
      400,
    ),
    caughtBy: '4.2/temperature-below',
  },
  coercedValues: {
    differences: { coercedValues: { value: ['string'], why } },
    hooks: rewriteFields(matchFieldsOf('chat', { temperature: '1' }), { temperature: 1 }),
    // A boolean is not among the declared types.
    broken: rewriteFields(matchFieldsOf('chat', { temperature: true }), { temperature: 1 }),
    caughtBy: '4.2/temperature-wrong-type',
  },
  parameters: {
    differences: { parameters: { value: { temperature: 'rejected' }, why } },
    hooks: rejectRequests(
      matchFieldsOf('chat', (fields) => 'temperature' in fields),
      400,
    ),
    broken: rejectRequests(
      matchFieldsOf('images', (fields) => 'n' in fields),
      400,
    ),
    caughtBy: '4.3/n-one',
  },
  maxTokensDefault: {
    differences: { maxTokensDefault: { value: 1024, why } },
    hooks: rewriteFields(matchFieldsOf('chat', { max_tokens: undefined }), { max_tokens: 1024 }),
    broken: rewriteFields(matchFieldsOf('chat', { max_tokens: undefined }), { max_tokens: 2048 }),
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
