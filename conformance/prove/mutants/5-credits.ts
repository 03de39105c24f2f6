import { changeStatus, header, reject, reply, status } from '../change/responses.ts'
import { all, isStreamRequest, type Match, not, to, withFields, withHeader } from '../change/match.ts'
import { rewriteKey } from '../change/requests.ts'
import { frame } from '../change/stream.ts'
import type { Mutant } from '../mutant.ts'
import { CHARGED_OPERATIONS, EMULATOR_KEYS } from './operations.ts'
import { brokenDown, observedStatus, unexpectedStatus } from '../result-match.ts'

const withoutCredits: Match = withHeader('authorization', new RegExp(`${EMULATOR_KEYS.empty}$`))

const withSmallKey: Match = withHeader('authorization', new RegExp(`${EMULATOR_KEYS.small}$`))

const ERROR_EVENT = frame('{"error":{"message":"insufficient credits","type":"insufficient_credits","code":402}}')

export const creditMutants: readonly Mutant[] = [
  ...CHARGED_OPERATIONS.map((operation) => ({
    id: `5/on-credit-${operation}`,
    breaks: `${operation} is served to an account without credits`,
    kills: { [`5/no-credits-${operation}`]: unexpectedStatus(200) },
    ...(operation === 'chat' ? { mayAffect: ['5/no-credits-each-model'] } : {}),
    wire: rewriteKey(all(to(operation), not(isStreamRequest), withoutCredits), EMULATOR_KEYS.funded),
  })),
  {
    id: '5/one-model-free',
    breaks: 'one model is served to accounts without credits',
    kills: { '5/no-credits-each-model': unexpectedStatus(200, { account: 'no-credits', model: 'o3-mini' }) },
    wire: rewriteKey(
      all(
        to('chat'),
        withoutCredits,
        withFields(({ model }) => model === 'o3-mini'),
      ),
      EMULATOR_KEYS.funded,
    ),
  },
  {
    id: '5/event-for-402',
    breaks: 'a stream without credits is a 200 with an event that says so',
    kills: { '5/no-credits-chat-stream': unexpectedStatus(200) },
    wire: reply(all(to('chat'), isStreamRequest, withoutCredits), {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: Buffer.from(ERROR_EVENT + frame('[DONE]')),
    }),
  },
  {
    id: '5/forbidden-for-402',
    breaks: 'an account without credits is answered with 403',
    kills: Object.fromEntries(
      [...CHARGED_OPERATIONS, 'chat-stream'].map((name) => [`5/no-credits-${name}`, unexpectedStatus(403)]),
    ),
    mayAffect: ['5/concurrent-spending'],
    wire: changeStatus(402, status(403)),
  },
  {
    id: '5/limit-for-402',
    breaks: 'an account without credits is answered with 429',
    kills: { '5/no-credits-speech': unexpectedStatus(429, { account: 'no-credits' }) },
    wire: {
      response: (response, request) =>
        response.status === 402 && to('speech')(request) ? header('retry-after', '1')(status(429)(response)) : response,
    },
  },
  {
    id: '5/spent-twice',
    breaks: 'parallel calls are served beyond the balance',
    kills: { '5/concurrent-spending': { code: 'balance-exceeded', params: { served: 16, requests: 16, balance: 1 } } },
    wire: rewriteKey(all(to('chat'), withSmallKey), EMULATOR_KEYS.funded),
  },
  {
    id: '5/busy-for-402',
    breaks: 'a parallel call that the balance does not cover is answered with 503',
    kills: { '7/breakdown-chat': brokenDown('chat', 503) },
    mayAffect: ['5/concurrent-spending'],
    wire: {
      response: (response, request) =>
        withSmallKey(request) && response.status === 402 ? status(503)(response) : response,
    },
  },
  {
    id: '5/list-needs-credits',
    breaks: 'nothing: whether listing models needs credits is not specified',
    kills: { '5/models-without-credits': observedStatus(402) },
    wire: reject(all(to('models'), withoutCredits), 402),
  },
]
