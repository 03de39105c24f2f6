import { body, header, reject } from '../change/responses.ts'
import { all, isStreamRequest, to, withFields, withHeader } from '../change/match.ts'
import { rewriteFields } from '../change/requests.ts'
import { changeChunks, changeFrames, changeStream, frame } from '../change/stream.ts'
import type { Mutant } from '../mutant.ts'
import { CHUNK_CHECKS, RESPONSE_ID_CHECKS } from './groups.ts'
import { malformedStream, missingField, observedStatus, unexpectedStatus } from '../result-match.ts'

const labels: readonly Mutant[] = [
  {
    id: '4.2/error-for-stream',
    breaks: 'a stream consists of an event that reports an error',
    kills: {
      '4.2/stream-events': {
        code: 'error-in-stream',
        params: { form: 'error-member', actual: { message: 'overloaded' } },
      },
    },
    mayAffect: [...CHUNK_CHECKS, '4.2/no-error-member', '4.2/usage-not-asked', '4.2/streams-at-once'],
    wire: changeFrames(() => [frame('{"error":{"message":"overloaded"}}'), frame('[DONE]')]),
  },
  {
    id: '4.2/event-named-error',
    breaks: 'a stream ends with an event named error',
    kills: {
      '4.2/stream-events': { code: 'error-in-stream', params: { form: 'event-name', actual: 'upstream failed' } },
    },
    mayAffect: ['4.2/streams-at-once', '4.2/chunk-json'],
    wire: changeFrames((frames) => [
      ...frames.slice(0, -1),
      'event: error\ndata: upstream failed\n\n',
      ...frames.slice(-1),
    ]),
  },
  {
    id: '4.2/event-of-type-error',
    breaks: 'a stream has an event of the type error',
    kills: {
      '4.2/stream-events': {
        code: 'error-in-stream',
        params: { form: 'type', actual: { type: 'error', choices: [] } },
      },
    },
    mayAffect: ['4.2/streams-at-once', '4.2/chunk-object', '4.2/chunk-id', '4.2/usage-not-asked'],
    wire: changeFrames((frames) => [
      ...frames.slice(0, -1),
      frame('{"type":"error","choices":[]}'),
      ...frames.slice(-1),
    ]),
  },
  {
    id: '4.2/stream-as-text',
    breaks: 'streams are labelled text/plain',
    kills: { '4.2/stream-media-type': { code: 'unexpected-media-type', params: { actualMediaType: 'text/plain' } } },
    mayAffect: ['4.2/stream-options-accepted', '4.2/stream-accept-json'],
    wire: changeStream(header('content-type', 'text/plain; charset=utf-8')),
  },
  {
    id: '4.2/no-events',
    breaks: 'the body of a stream is a JSON object with an error, and no event',
    kills: { '4.2/stream-events': malformedStream('no-events') },
    mayAffect: [...CHUNK_CHECKS, '4.2/streams-at-once', '2.1/all-stream-chat'],
    wire: changeStream(body('{"error":{"message":"overloaded"}}')),
  },
]

const NO_CHOICE = '{"id":"u","object":"chat.completion.chunk","choices":[],"usage":{"total_tokens":1}}'

const chunks: readonly Mutant[] = [
  {
    id: '4.2/ping-as-data',
    breaks: 'streams are kept alive with events instead of comments',
    kills: { '4.2/chunk-json': malformedStream('not-json', 'ping') },
    wire: changeFrames((frames) => frames.flatMap((text, index) => (index === 1 ? [frame('ping'), text] : [text]))),
  },
  {
    id: '4.2/done-alone',
    breaks: 'streams consist only of [DONE]',
    kills: {
      '4.2/chunk-json': malformedStream('no-chunks'),
      '4.2/chunk-object': malformedStream('no-choices'),
      '4.2/chunk-id': malformedStream('no-choices'),
      '4.2/chunk-index': malformedStream('no-choices'),
      '4.2/role-first': malformedStream('no-role'),
      '4.2/content-text': malformedStream('no-content'),
      '4.2/finish-reason-last': malformedStream('no-finish-reason'),
    },
    wire: changeFrames((frames) => frames.slice(-1)),
  },
  {
    id: '4.2/whole-object-name',
    breaks: 'chunks call themselves chat.completion',
    kills: { '4.2/chunk-object': { code: 'wrong-value', params: { path: 'object', actual: 'chat.completion' } } },
    wire: changeChunks('object', () => 'chat.completion'),
  },
  {
    id: '4.2/id-per-chunk',
    breaks: 'each chunk has an id of its own',
    kills: { '4.2/chunk-id': malformedStream('several-ids') },
    mayAffect: RESPONSE_ID_CHECKS,
    wire: changeChunks('id', (_id, { index }) => `chatcmpl-${index}`),
  },
  {
    id: '4.2/chunks-without-index',
    breaks: 'the choices of chunks have no index',
    kills: { '4.2/chunk-index': missingField('choices[0].index') },
    wire: changeChunks('index', () => undefined),
  },
  {
    id: '4.2/no-role',
    breaks: 'the first delta has no role',
    kills: { '4.2/role-first': malformedStream('no-role') },
    wire: changeChunks('role', () => undefined),
  },
  {
    id: '4.2/content-in-parts',
    breaks: 'deltas carry an array of parts instead of text',
    kills: { '4.2/content-text': malformedStream('content-not-text') },
    wire: changeChunks('content', (text) => [{ type: 'text', text }]),
  },
  {
    id: '4.2/no-content',
    breaks: 'deltas carry their text under another name',
    kills: { '4.2/content-text': malformedStream('no-content') },
    wire: changeChunks('content', () => undefined),
  },
  {
    id: '4.2/no-finish-reason',
    breaks: 'no chunk has a finish_reason',
    kills: { '4.2/finish-reason-last': malformedStream('no-finish-reason', null) },
    wire: changeChunks('finish_reason', () => null),
  },
  {
    id: '4.2/finish-reason-everywhere',
    breaks: 'each chunk has a finish_reason',
    kills: { '4.2/finish-reason-last': malformedStream('early-finish-reason', 'stop') },
    wire: changeChunks('finish_reason', () => 'stop'),
  },
  {
    id: '4.2/null-error',
    breaks: 'each chunk has "error": null',
    kills: { '4.2/no-error-member': malformedStream('error-member', null) },
    wire: changeFrames((frames) => frames.map((text) => text.replace('data: {', 'data: {"error":null,'))),
  },
  {
    id: '4.2/usage-for-all',
    breaks: 'streams end with a usage chunk that was not requested',
    kills: { '4.2/usage-not-asked': malformedStream('empty-choices') },
    mayAffect: RESPONSE_ID_CHECKS,
    wire: changeFrames((frames) => [...frames.slice(0, -1), frame(NO_CHOICE), ...frames.slice(-1)]),
  },
  {
    id: '4.2/no-done',
    breaks: 'streams end without [DONE]',
    kills: { '4.2/done-last': malformedStream('no-done') },
    wire: changeFrames((frames) => frames.slice(0, -1)),
  },
  {
    id: '4.2/event-after-done',
    breaks: 'a chunk follows after [DONE]',
    kills: { '4.2/done-last': malformedStream('event-after-done') },
    wire: changeFrames((frames) => [...frames.slice(0, -2), ...frames.slice(-2).reverse()]),
  },
  {
    id: '4.2/last-frame-open',
    breaks: 'the last frame lacks its blank line',
    kills: { '4.2/last-frame-closed': malformedStream('no-blank-line') },
    // A frame without a blank line is ignored, so [DONE] is lost.
    mayAffect: ['4.2/done-last'],
    wire: changeFrames((frames) => [frames.join('').trimEnd(), '\n']),
  },
]

const clients: readonly Mutant[] = [
  {
    id: '4.2/stream-options-refused',
    breaks: 'stream_options is rejected',
    kills: {
      '4.2/stream-options-accepted': unexpectedStatus(400),
      '4.2/stream-usage-asked': observedStatus(400),
    },
    wire: reject(
      all(
        to('chat'),
        withFields((fields) => 'stream_options' in fields),
      ),
      400,
    ),
  },
  {
    id: '4.2/accept-outweighs-stream',
    breaks: 'Accept: application/json turns a stream into a JSON response',
    kills: {
      '4.2/stream-accept-json': { code: 'unexpected-media-type', params: { actualMediaType: 'application/json' } },
    },
    wire: rewriteFields(all(to('chat'), isStreamRequest, withHeader('accept', /^application\/json$/)), () => ({
      stream: false,
    })),
  },
]

export const streamMutants: readonly Mutant[] = [...labels, ...chunks, ...clients]
