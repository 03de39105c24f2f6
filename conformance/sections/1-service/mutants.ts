import { MODELS } from '../../../contract/facts.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import {
  changeResponses,
  changeStatus,
  changeSuccesses,
  rejectRequests,
  setHeader,
} from '../../mutation/change/responses.ts'
import { changeChunks } from '../../mutation/change/stream.ts'
import { isStreamRequest, matchNot, matchOperation } from '../../mutation/change/match.ts'
import { PLAIN_CHAT_CHECKS } from '../shared/mutants-check-groups.ts'
import { matchMediaType, matchOperationBreakdown, matchUnexpectedStatus } from '../../mutation/result-match.ts'

const REJECTED_BY_ALL = MODELS.map(() => ({ actualStatus: 404 }))

export const serviceMutants: readonly Mutant[] = [
  {
    id: '1/replaced-characters',
    breaks: 'a gateway decodes the bytes of each write of a stream on their own',
    kills: { '1/intact-text': { code: 'damaged-text', params: { problem: 'replaced' } } },
    mayAffect: ['4.2/stream-text'],
    hooks: changeChunks('content', (text) => String(text).replace(/[^\0-\x7f]/u, '\uFFFD')),
  },
  {
    id: '1/half-characters',
    breaks: 'a stream sends the two halves of a character in two chunks',
    kills: { '1/intact-text': { code: 'damaged-text', params: { problem: 'half-character' } } },
    mayAffect: ['4.2/stream-text'],
    hooks: changeChunks('content', (text, index) => `${String(text)}${index % 2 === 0 ? '\ud83d' : '\udc4b'}`),
  },
  {
    id: '1/errors-in-latin-1',
    breaks: 'error bodies are encoded as Latin-1',
    kills: { '1/intact-text': { code: 'damaged-text', params: { problem: 'invalid-utf8' } } },
    hooks: changeStatus(404, (response) => ({
      ...response,
      body: Buffer.from(response.body.toString('utf8').replace('"message":"', '"message":"Modèle: '), 'latin1'),
    })),
  },
  {
    id: '1/models-not-offered',
    breaks: 'the list of models does not exist',
    kills: { '1/models-offered': matchUnexpectedStatus(404) },
    hooks: rejectRequests(matchOperation('models'), 404),
  },
  {
    id: '1/chat-not-offered',
    breaks: 'no model serves chat',
    kills: { '1/chat-offered': matchUnexpectedStatus(404) },
    mayAffect: PLAIN_CHAT_CHECKS,
    hooks: rejectRequests(matchOperation('chat'), 404),
  },
  {
    id: '7/models-always-500',
    breaks: 'the list of models always returns 500',
    kills: { '7/breakdown-models': matchOperationBreakdown('models', 500) },
    hooks: rejectRequests(matchOperation('models'), 500),
  },
  ...(['images', 'transcriptions', 'speech'] as const).map((operation): Mutant => ({
    id: `1/${operation}-not-offered`,
    breaks: `no model serves ${operation}`,
    kills: { [`1/${operation}-offered`]: { code: 'rejected-in-all-forms', params: { responses: REJECTED_BY_ALL } } },
    hooks: rejectRequests(matchOperation(operation), 404),
  })),
  ...(['models', 'chat', 'images', 'transcriptions'] as const).map((operation) => ({
    id: `1/text-for-json-${operation}`,
    breaks: `the JSON response of ${operation} is labelled text/plain`,
    kills: { [`1/json-media-type-${operation}`]: matchMediaType('text/plain') },
    hooks: changeSuccesses(
      matchOperation(operation, matchNot(isStreamRequest)),
      setHeader('content-type', 'text/plain; charset=utf-8'),
    ),
  })),
  {
    id: '1/no-request-id',
    breaks: 'responses have no x-request-id',
    kills: { '1/request-id': { code: 'missing-header', params: { header: 'x-request-id' } } },
    hooks: changeResponses(() => true, setHeader('x-request-id', undefined)),
  },
]
