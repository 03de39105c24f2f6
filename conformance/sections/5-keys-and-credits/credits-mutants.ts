import { createHash } from 'node:crypto'
import {
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
  matchAll,
  isStreamRequest,
  type RequestMatcher,
  matchNot,
  matchOperation,
  matchFields,
} from '../../mutation/change/match.ts'
import { rewriteKey } from '../../mutation/change/requests.ts'
import { formatServerSentEvent } from '../../mutation/change/stream.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { EMULATOR_KEYS, matchKey } from '../shared/mutants-emulator-keys.ts'
import { matchObservedStatus, matchUnexpectedStatus } from '../../mutation/result-match.ts'

const withoutCredits: RequestMatcher = matchKey('noCredits')

const withSmallKey: RequestMatcher = matchKey('small')

const ERROR_EVENT = formatServerSentEvent(
  '{"error":{"message":"insufficient credits","type":"insufficient_credits","code":402}}',
)

export const creditMutants: readonly Mutant[] = [
  ...(['chat', 'images', 'transcriptions', 'speech'] as const).map((operation) => ({
    id: `5/on-credit-${operation}`,
    breaks: `${operation} is served to an account without credits`,
    kills: { [`5/no-credits-${operation}`]: matchUnexpectedStatus(200) },
    ...(operation === 'chat' ? { mayAffect: ['5/no-credits-each-model'] } : {}),
    hooks: rewriteKey(
      matchAll(matchOperation(operation), matchNot(isStreamRequest), withoutCredits),
      EMULATOR_KEYS.funded,
    ),
  })),
  {
    id: '5/cache-ignores-key',
    breaks: 'a cache sends the completions of one account to another account without credits',
    kills: { '5/response-of-another-key': { code: 'response-of-another-key' } },
    mayAffect: ['5/no-credits-chat', '5/no-credits-each-model'],
    hooks: combineHooks(
      rewriteKey(matchAll(matchOperation('chat'), matchNot(isStreamRequest), withoutCredits), EMULATOR_KEYS.funded),
      {
        onResponse: (response, request) =>
          response.status === 200 && matchOperation('chat')(request) && !isStreamRequest(request)
            ? setProperty('id', createHash('sha256').update(request.body).digest('hex'))(response)
            : response,
      },
    ),
  },
  {
    id: '5/one-model-free',
    breaks: 'one model is served to accounts without credits',
    kills: { '5/no-credits-each-model': matchUnexpectedStatus(200, { account: 'no-credits', model: 'o3-mini' }) },
    hooks: rewriteKey(
      matchAll(matchOperation('chat'), withoutCredits, matchFields({ model: 'o3-mini' })),
      EMULATOR_KEYS.funded,
    ),
  },
  {
    id: '5/event-for-402',
    breaks: 'a stream request without credits gets 200 and an error event',
    kills: { '5/no-credits-chat-stream': matchUnexpectedStatus(200) },
    hooks: respondWith(matchAll(matchOperation('chat'), isStreamRequest, withoutCredits), {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: Buffer.from(ERROR_EVENT + formatServerSentEvent('[DONE]')),
    }),
  },
  {
    id: '5/limit-for-402',
    breaks: 'a request without credits gets 429',
    kills: { '5/no-credits-speech': matchUnexpectedStatus(429, { account: 'no-credits' }) },
    hooks: {
      onResponse: (response, request) =>
        response.status === 402 && matchOperation('speech')(request)
          ? setHeader('retry-after', '1')(setStatus(429)(response))
          : response,
    },
  },
  {
    id: '5/spent-twice',
    breaks: 'parallel requests are served beyond the balance',
    kills: { '5/concurrent-spending': { code: 'balance-exceeded', params: { served: 16, requests: 16, balance: 1 } } },
    hooks: rewriteKey(matchAll(matchOperation('chat'), withSmallKey), EMULATOR_KEYS.funded),
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
    hooks: rejectRequests(matchAll(matchOperation('models'), withoutCredits), 402),
  },
]
