import { OPERATION_NAMES, OPERATIONS, type Operation } from '../../../contract/facts.ts'
import {
  isChatStream,
  isCompletionRequest,
  isStreamRequest,
  matchAll,
  matchBody,
  matchFields,
  matchFieldsOf,
  matchNot,
  matchOperation,
  type RequestMatcher,
} from '../../mutation/change/match.ts'
import { rewriteFields } from '../../mutation/change/requests.ts'
import {
  changeSuccesses,
  changeProperty,
  combineHooks,
  changeResponses,
  rejectRequests,
  setBody,
  setHeader,
  setProperty,
} from '../../mutation/change/responses.ts'
import { changeChunks, changeFrames, formatServerSentEvent } from '../../mutation/change/stream.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { matchMediaType, matchObserved, matchUnexpectedStatus, matchWrongValue } from '../../mutation/result-match.ts'

/** Matches some valid requests of each operation. */
const VALID_REQUESTS: Readonly<Record<Operation, RequestMatcher>> = {
  models: matchOperation('models'),
  chat: matchFieldsOf('chat', { temperature: 0.7 }),
  images: matchFieldsOf('images', ({ prompt }) => String(prompt).includes('лиса')),
  transcriptions: matchOperation('transcriptions', matchBody(/name="language"\r\n\r\nen\r\n/)),
  speech: matchFieldsOf('speech', { voice: 'alloy' }),
}

const ofOneModel = matchFields({ model: 'vendorc-4o' })

/** Matches the stream of the check `8/max-tokens-default-stream`. */
const unboundedStream = matchOperation(
  'chat',
  isStreamRequest,
  matchFields((fields) => fields['max_tokens'] === undefined && 'stream_options' in fields),
  matchBody(/Count from 1 to 1000/),
)

/** Matches the plain chat of most checks, and its streamed form. */
const greetings = matchOperation('chat', matchBody(/Say hello to [0-9a-f]{8}/), matchFields({ max_tokens: 16 }))

const longReply = matchOperation(
  'chat',
  isStreamRequest,
  matchFields({ temperature: 2 }),
  matchBody(/Count from 1 to 1000/),
)

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
const KEPT = NUMBERS.filter((word) => word !== 'three').join(' ')

export const everyResponseMutants: readonly Mutant[] = [
  {
    id: '1/byte-order-mark',
    breaks: 'completions start with a byte order mark',
    kills: { '1/json-without-mark': { code: 'wrong-body', params: { problem: 'byte-order-mark' } } },
    hooks: changeSuccesses(isCompletionRequest, (response) => ({
      ...response,
      body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), response.body]),
    })),
  },
  ...OPERATION_NAMES.map((operation) => ({
    id: `7/status-422-${operation}`,
    breaks: `a valid request to ${OPERATIONS[operation].path} gets 422, which is not in the table`,
    kills: { [`7/statuses-${operation}`]: matchUnexpectedStatus(422) },
    hooks: rejectRequests(VALID_REQUESTS[operation], 422),
  })),
  ...(['chat', 'images', 'transcriptions', 'speech'] as const).map((operation) => ({
    id: `5/key-sometimes-refused-${operation}`,
    breaks: `some valid requests to ${OPERATIONS[operation].path} with a valid key get 401`,
    kills: { [`5/valid-key-everywhere-${operation}`]: matchUnexpectedStatus(401) },
    hooks: rejectRequests(VALID_REQUESTS[operation], 401),
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
    hooks: rewriteFields(matchOperation('chat', ofOneModel), { max_tokens: undefined }),
  },
  {
    id: '2.3/sum-of-one-model',
    breaks: 'the total_tokens of one model are always 1',
    kills: {
      '2.3/usage-adds-up-everywhere': {
        code: 'wrong-value',
        params: { path: 'usage', difference: { model: 'vendorc-4o' } },
      },
    },
    hooks: changeSuccesses(matchAll(isCompletionRequest, ofOneModel), setProperty('total_tokens', 1)),
  },
  {
    id: '4.2/temperature-of-one-model',
    breaks: 'one model accepts only the temperature 1',
    kills: {
      '4.2/temperature-each-model': {
        code: 'served-only-otherwise',
        params: { actualStatus: 400, difference: { parameter: 'temperature', value: 0, model: 'vendorc-4o' } },
      },
    },
    hooks: rejectRequests(
      matchOperation(
        'chat',
        ofOneModel,
        matchFields(({ temperature }) => temperature !== undefined && temperature !== 1),
      ),
      400,
    ),
  },
  {
    id: '2.3/stop-for-a-cut',
    breaks: 'nothing: the finish_reason is not specified if max_tokens ends a completion',
    kills: { '2.3/finish-reason-at-bound': matchObserved({ kind: 'finish-reasons', reasons: ['stop'] }) },
    hooks: changeSuccesses(matchOperation('chat'), (response) => ({
      ...response,
      body: Buffer.from(
        response.body.toString('utf8').replaceAll('"finish_reason":"length"', '"finish_reason":"stop"'),
      ),
    })),
  },
  {
    id: '2.3/prompt-costs-nothing',
    breaks: 'usage reports no tokens for the prompt',
    kills: { '2.3/usage-prompt': matchWrongValue('usage.prompt_tokens', 0) },
    mayAffect: ['2.3/usage-adds-up', '2.3/usage-adds-up-everywhere'],
    hooks: changeSuccesses(isCompletionRequest, setProperty('prompt_tokens', 0)),
  },
  {
    id: '2.3/at-most-two-messages',
    breaks: 'a conversation of more than two messages gets 400',
    kills: { '2.3/conversation': matchUnexpectedStatus(400) },
    hooks: rejectRequests(
      matchFieldsOf('chat', ({ messages }) => Array.isArray(messages) && messages.length > 2),
      400,
    ),
  },
  {
    id: '4.2/labelled-stream-of-one-model',
    breaks: 'the streams of one model are labelled text/plain',
    kills: { '4.2/every-stream-media-type': matchMediaType('text/plain', { model: 'vendorc-4o' }) },
    hooks: changeSuccesses(matchAll(isChatStream, ofOneModel), setHeader('content-type', 'text/plain')),
  },
  {
    id: '4.2/no-done-for-one-model',
    breaks: 'the streams of one model end without [DONE]',
    kills: {
      '4.2/stream-form-everywhere': {
        code: 'stream-malformed',
        params: { problem: 'no-done', difference: { model: 'vendorc-4o' } },
      },
    },
    hooks: changeFrames((frames) => frames.slice(0, -1), ofOneModel),
  },
  {
    id: '4.2/one-text',
    breaks: 'every completion has the same text',
    kills: { '4.2/text-of-prompts': matchObserved({ kind: 'texts-of-prompts', differ: false }) },
    mayAffect: ['4.2/stream-text'],
    hooks: combineHooks(
      changeSuccesses(isCompletionRequest, setProperty('content', 'Hello')),
      changeChunks('content', (_value, index) => (index === 0 ? 'Hello' : '')),
    ),
  },
  {
    id: '4.2/lost-word',
    breaks: 'streams lack the third word of the completion',
    kills: { '4.2/stream-text': { code: 'words-lost', params: { words: 1, lost: 'three' } } },
    mayAffect: ['4.2/text-of-prompts'],
    hooks: combineHooks(
      changeSuccesses(
        matchAll(greetings, matchNot(isStreamRequest)),
        changeProperty('content', () => NUMBERS.join(' ')),
      ),
      changeChunks('content', (_value, index) => (index === 0 ? KEPT : ''), greetings),
    ),
  },
  {
    id: '4.5/json-for-long-text',
    breaks: 'a text of more than 300 characters gets JSON instead of sound',
    kills: { '4.5/every-answer': { code: 'mp3-malformed', params: { difference: { responses: 1 } } } },
    mayAffect: ['4.5/duration'],
    hooks: changeSuccesses(
      matchFieldsOf('speech', ({ input }) => typeof input === 'string' && input.length > 300),
      setBody('{"audio":"//OExAAAAAA="}', 'application/json'),
    ),
  },
  {
    id: '4.2/stream-of-another-model',
    breaks: 'a proxy streams the completions of one model for another',
    kills: {
      '4.2/stream-model': { code: 'wrong-value', params: { path: 'model', difference: { model: 'vendorc-4o' } } },
    },
    hooks: rewriteFields(matchAll(isChatStream, ofOneModel), { model: 'vendorc-4o-mini' }),
  },
  {
    id: '4.2/error-in-the-middle',
    breaks: 'long responses end with an event that reports an error',
    kills: { '4.2/every-stream': { code: 'error-in-stream', params: { form: 'error-member', actual: { code: 504 } } } },
    // These checks send the same kind of stream to each model, so the mutant also changes their streams.
    mayAffect: ['2.1/all-stream-chat', '4.2/temperature-each-model'],
    hooks: changeFrames(
      (frames) => [
        ...frames.slice(0, 4),
        formatServerSentEvent('{"error":{"message":"upstream timed out","code":504}}'),
      ],
      longReply,
    ),
  },
  {
    id: '4.2/stream-cut-in-order',
    breaks: 'long responses stop after eight chunks, without a finish_reason and [DONE]',
    kills: { '4.2/stream-time-out': { code: 'streams-without-end' } },
    mayAffect: ['8/max-tokens-default-stream'],
    hooks: changeFrames((frames) => frames.slice(0, 8), unboundedStream),
  },
  {
    id: '4.2/route-time-out',
    breaks: 'a proxy cuts off streams after eight seconds',
    kills: { '4.2/stream-time-out': { code: 'streams-timed-out' } },
    mayAffect: ['8/max-tokens-default-stream'],
    hooks: combineHooks(
      changeFrames((frames) => frames.slice(0, 8), unboundedStream),
      changeResponses(unboundedStream, (response) => ({ ...response, delayMs: 8000 })),
    ),
  },
]
