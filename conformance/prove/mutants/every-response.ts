import { OPERATIONS, type Operation } from '../../../contract/facts.ts'
import { ALL_OPERATIONS } from '../../checks/operation.ts'
import { all, isStreamRequest, type Match, not, to, withBody, withFields } from '../change/match.ts'
import { rewriteFields } from '../change/requests.ts'
import { changeSuccesses, member, reject } from '../change/responses.ts'
import { changeFrames } from '../change/stream.ts'
import type { Mutant } from '../mutant.ts'

/** Selects requests that follow the document, and are not the plainest. */
const VALID_REQUESTS: Readonly<Record<Operation, Match>> = {
  models: to('models'),
  chat: all(
    to('chat'),
    withFields(({ temperature }) => temperature === 0.7),
  ),
  images: all(
    to('images'),
    withFields(({ n }) => n === 1),
  ),
  transcriptions: all(to('transcriptions'), withBody(/name="language"\r\n\r\nen\r\n/)),
  speech: all(
    to('speech'),
    withFields(({ voice }) => voice === 'alloy'),
  ),
}

const ofOneModel = withFields(({ model }) => model === 'vendorc-4o')

/** The stream of the check of the default bound. */
const unboundedStream = all(
  to('chat'),
  isStreamRequest,
  withFields((fields) => fields['max_tokens'] === undefined && 'stream_options' in fields),
  withBody(/Count from 1 to 1000/),
)

export const everyResponseMutants: readonly Mutant[] = [
  ...ALL_OPERATIONS.map((operation) => ({
    id: `7/status-422-${operation}`,
    breaks: `a valid request to ${OPERATIONS[operation].path} gets 422, which is not in the table`,
    kills: { [`7/statuses-${operation}`]: { code: 'unexpected-status' as const, params: { actualStatus: 422 } } },
    wire: reject(VALID_REQUESTS[operation], 422),
  })),
  {
    id: '4.2/bound-of-one-model',
    breaks: 'one model ignores max_tokens',
    kills: {
      '4.2/max-tokens-everywhere': {
        code: 'bound-exceeded',
        params: { path: 'usage.completion_tokens', actual: 256, bound: 16, difference: { model: 'vendorc-4o' } },
      },
    },
    wire: rewriteFields(all(to('chat'), ofOneModel), () => ({ max_tokens: undefined })),
  },
  {
    id: '2.3/sum-of-one-model',
    breaks: 'the total_tokens of one model are those of the completion',
    kills: {
      '2.3/usage-adds-up-everywhere': {
        code: 'wrong-value',
        params: { path: 'usage', difference: { model: 'vendorc-4o' } },
      },
    },
    wire: changeSuccesses(
      all(to('chat'), not(isStreamRequest), ofOneModel),
      member('total_tokens', () => 1),
    ),
  },
  {
    id: '4.2/temperature-of-one-model',
    breaks: 'one model accepts no temperature but 1',
    kills: {
      '4.2/temperature-each-model': {
        code: 'served-only-otherwise',
        params: { actualStatus: 400, difference: { variant: 'vendorc-4o with temperature 0' } },
      },
    },
    wire: reject(
      all(
        to('chat'),
        ofOneModel,
        withFields(({ temperature }) => temperature !== undefined && temperature !== 1),
      ),
      400,
    ),
  },
  {
    id: '2.3/stop-for-a-cut',
    breaks: 'nothing: the finish_reason of a completion that max_tokens cuts is not specified',
    kills: {
      '2.3/finish-reason-at-bound': {
        code: 'observed-response',
        params: { seen: { kind: 'finish-reasons', reasons: ['stop'] } },
      },
    },
    wire: changeSuccesses(to('chat'), (response) => ({
      ...response,
      body: Buffer.from(
        response.body.toString('utf8').replaceAll('"finish_reason":"length"', '"finish_reason":"stop"'),
      ),
    })),
  },
  {
    id: '4.2/route-time-out',
    breaks: 'a proxy ends streams after eight seconds',
    kills: { '4.2/stream-time-out': { code: 'streams-timed-out' } },
    mayAffect: ['8/max-tokens-default-stream'],
    wire: {
      response: (response, request) =>
        unboundedStream(request)
          ? { ...(withoutEnd.response?.(response, request) ?? response), delayMs: 8000 }
          : response,
    },
  },
]

const withoutEnd = changeFrames((frames) => frames.slice(0, 8))
