import { createHash } from 'node:crypto'
import {
  changeStatus,
  changeSuccesses,
  combineHooks,
  setBody,
  setHeader,
  setProperty,
  rejectRequests,
  respondWith,
  setStatus,
} from '../../mutation/change/responses.ts'
import {
  isChatStream,
  isCompletionRequest,
  isStreamRequest,
  matchAll,
  matchFields,
  matchNot,
  matchOperation,
  type RequestMatcher,
} from '../../mutation/change/match.ts'
import { rewriteKey } from '../../mutation/change/requests.ts'
import { createStreamResponse } from '../../mutation/change/stream.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { EMULATOR_KEYS, matchKey } from '../shared/mutants-emulator-keys.ts'
import { matchObservedStatus, matchUnexpectedStatus } from '../../mutation/result-match.ts'

const withoutCredits: RequestMatcher = matchKey('noCredits')

const withSmallKey: RequestMatcher = matchKey('small')

const ERROR = '{"error":{"message":"insufficient credits","type":"insufficient_credits","code":402}}'

export const creditMutants: readonly Mutant[] = [
  ...(['chat', 'images', 'transcriptions', 'speech'] as const).map((operation) => ({
    id: `5/on-credit-${operation}`,
    breaks: `${operation} is served to an account without credits`,
    kills: { [`5/no-credits-${operation}`]: matchUnexpectedStatus(200) },
    ...(operation === 'chat' ? { mayAffect: ['5/no-credits-each-model'] } : {}),
    hooks: rewriteKey(matchOperation(operation, matchNot(isStreamRequest), withoutCredits), EMULATOR_KEYS.funded),
  })),
  {
    id: '5/cache-ignores-key',
    breaks: 'a cache sends the completions of one account to another account without credits',
    kills: { '5/response-of-another-key': { code: 'response-of-another-key' } },
    mayAffect: ['5/no-credits-chat', '5/no-credits-each-model'],
    hooks: combineHooks(
      rewriteKey(matchAll(isCompletionRequest, withoutCredits), EMULATOR_KEYS.funded),
      changeSuccesses(isCompletionRequest, (response, { body }) =>
        setProperty('id', createHash('sha256').update(body).digest('hex'))(response),
      ),
    ),
  },
  {
    id: '5/one-model-free',
    breaks: 'one model is served to accounts without credits',
    kills: { '5/no-credits-each-model': matchUnexpectedStatus(200, { account: 'no-credits', model: 'o3-mini' }) },
    hooks: rewriteKey(matchOperation('chat', withoutCredits, matchFields({ model: 'o3-mini' })), EMULATOR_KEYS.funded),
  },
  {
    id: '5/event-for-402',
    breaks: 'a stream request without credits gets 200 and an error event',
    kills: { '5/no-credits-chat-stream': matchUnexpectedStatus(200) },
    hooks: respondWith(matchAll(isChatStream, withoutCredits), createStreamResponse(ERROR, '[DONE]')),
  },
  {
    id: '5/limit-for-402',
    breaks: 'a request without credits gets 429',
    kills: { '5/no-credits-speech': matchUnexpectedStatus(429, { account: 'no-credits' }) },
    hooks: changeStatus(
      402,
      (response) => setHeader('retry-after', '1')(setStatus(429)(response)),
      matchOperation('speech'),
    ),
  },
  {
    id: '5/spent-twice',
    breaks: 'parallel requests are served beyond the balance',
    kills: { '5/concurrent-spending': { code: 'balance-exceeded', params: { served: 16, requests: 16, balance: 1 } } },
    hooks: rewriteKey(matchOperation('chat', withSmallKey), EMULATOR_KEYS.funded),
  },
  {
    id: '5/overdrawn',
    breaks: 'parallel chats leave an account below zero, because only their completions count',
    kills: { '5/concurrent-spending': { code: 'balance-exceeded', params: { balance: 1, left: -0.3 } } },
    hooks: changeSuccesses(
      (request) => request.target === '/__emulator/balance' && withSmallKey(request),
      setBody('{"credits":-0.3}'),
    ),
  },
  {
    id: '5/list-needs-credits',
    breaks: 'nothing: whether listing models needs credits is not specified',
    kills: { '5/models-without-credits': matchObservedStatus(402) },
    hooks: rejectRequests(matchOperation('models', withoutCredits), 402),
  },
]
