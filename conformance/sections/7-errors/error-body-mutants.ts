import { matchOperation } from '../../mutation/change/match.ts'
import {
  changeResponses,
  changeStatus,
  setBody,
  createJsonResponse,
  setProperty,
} from '../../mutation/change/responses.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { matchMediaType, matchMissingField, matchObserved, matchWrongType } from '../../mutation/result-match.ts'

/** Common error bodies that client SDKs cannot parse. */
const OTHER_BODIES = [
  {
    id: '7/error-body-400-flat',
    check: '7/error-body-400',
    status: 400,
    breaks: 'the body of a 400 has its message at the top level',
    found: matchMissingField('error'),
    change: setBody('{"message":"temperature is too high"}'),
  },
  {
    id: '7/error-body-401-page',
    check: '7/error-body-401',
    status: 401,
    breaks: 'the body of a 401 is a web page',
    found: matchMediaType('text/html'),
    change: setBody('<!doctype html><title>401</title>', 'text/html'),
  },
  {
    id: '7/error-body-402-sentence',
    check: '7/error-body-402',
    status: 402,
    breaks: 'the error in a 402 is a string, not an object',
    found: matchWrongType('error', 'string', 'Insufficient credits'),
    change: setBody('{"error":"Insufficient credits"}'),
  },
  {
    id: '7/error-body-404-no-code',
    check: '7/error-body-404',
    status: 404,
    breaks: 'the error in a 404 has no code',
    found: matchMissingField('error.code'),
    change: setProperty('code', undefined),
  },
  {
    id: '7/error-body-404-no-type',
    check: '7/error-body-404',
    status: 404,
    breaks: 'the error in a 404 has no type',
    found: matchMissingField('error.type'),
    change: setProperty('type', undefined),
  },
]

export const errorBodyMutants: readonly Mutant[] = [
  ...OTHER_BODIES.map(({ id, check, status, breaks, found, change }) => ({
    id,
    breaks,
    kills: { [check]: found },
    hooks: changeStatus(status, change),
  })),
  {
    id: '7/error-body-of-speech',
    breaks: 'the errors of speech are plain text',
    kills: { '7/error-body-400': matchMediaType('text/plain', { operations: ['speech'] }) },
    // These checks cause the errors.
    mayAffect: ['4.5/input-missing', '5/no-header-speech'],
    hooks: changeResponses(matchOperation('speech'), (response) =>
      response.status >= 400 ? setBody('Bad Request', 'text/plain')(response) : response,
    ),
  },
  {
    id: '7/error-body-429-detail',
    breaks: 'the body of a 429 has "detail" instead of "error"',
    kills: { '7/error-body-429': matchMissingField('error') },
    // This check causes the errors.
    mayAffect: ['7/rate-limit-exceeded'],
    hooks: changeStatus(429, setBody(createJsonResponse({ detail: 'slow down' }).body)),
  },
  {
    id: '7/error-body-of-unknown-endpoints',
    breaks: 'the body of a 404 for an unknown endpoint has "detail" instead of "error"',
    kills: {
      '7/error-body-404': {
        code: 'missing-field',
        params: { path: 'error', difference: { responses: 3, of: 3, operations: [] } },
      },
    },
    // These checks cause the errors.
    mayAffect: ['7/unknown-endpoint-get', '7/unknown-endpoint-post', '7/unknown-endpoint-below'],
    hooks: changeResponses(
      ({ target }) => target.includes('touchstone-no-such-endpoint'),
      setBody(createJsonResponse({ detail: 'Not Found' }).body),
    ),
  },
  {
    id: '7/other-code',
    breaks: 'nothing: the code strings of errors are not specified',
    kills: { '7/error-shape': matchObserved({ kind: 'error-body', actualStatus: 404, code: 'unknown_model' }) },
    hooks: changeStatus(404, setProperty('code', 'unknown_model')),
  },
]
