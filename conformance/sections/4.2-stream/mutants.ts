import { changeSuccesses, rejectRequests, setBody, setHeader } from '../../mutation/change/responses.ts'
import { isChatStream, matchAll, matchFields, matchFieldsOf, matchHeader } from '../../mutation/change/match.ts'
import { rewriteFields } from '../../mutation/change/requests.ts'
import { changeChunks, changeFrames, formatServerSentEvent } from '../../mutation/change/stream.ts'
import type { JsonExcerpt } from '../../findings/fact-params.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import type { ProxyHooks } from '../../mutation/proxy-hooks.ts'
import { CHUNK_CHECKS } from '../shared/mutants-check-groups.ts'
import {
  matchMalformedStream,
  matchMediaType,
  matchMissingField,
  matchObservedStatus,
  matchUnexpectedStatus,
  matchWrongValue,
  type ResultMatch,
} from '../../mutation/result-match.ts'

function matchStreamError(form: string, actual: JsonExcerpt): ResultMatch {
  return { code: 'error-in-stream', params: { form, actual } }
}

function ofOneModel(change: (frames: readonly string[]) => readonly string[]): ProxyHooks {
  return changeFrames(change, matchFields({ model: 'vendorc-4o' }))
}

const NO_CHOICE = '{"id":"u","object":"chat.completion.chunk","choices":[],"usage":{"total_tokens":1}}'

export const streamMutants: readonly Mutant[] = [
  {
    id: '4.2/event-named-error',
    breaks: 'the streams of one model end with an event named error',
    kills: { '4.2/every-stream': matchStreamError('event-name', 'upstream failed') },
    hooks: ofOneModel((frames) => [
      ...frames.slice(0, -1),
      'event: error\ndata: upstream failed\n\n',
      ...frames.slice(-1),
    ]),
  },
  {
    id: '4.2/event-of-type-error',
    breaks: 'the streams of one model contain an event of type "error"',
    kills: { '4.2/every-stream': matchStreamError('type', { type: 'error', choices: [] }) },
    hooks: ofOneModel((frames) => [
      ...frames.slice(0, -1),
      formatServerSentEvent('{"type":"error","choices":[]}'),
      ...frames.slice(-1),
    ]),
  },
  {
    id: '4.2/stream-as-text',
    breaks: 'streams are labelled text/plain',
    kills: { '4.2/stream-media-type': matchMediaType('text/plain') },
    mayAffect: ['4.2/stream-options-accepted', '4.2/stream-accept-json'],
    hooks: changeSuccesses(isChatStream, setHeader('content-type', 'text/plain; charset=utf-8')),
  },
  {
    id: '4.2/no-events',
    breaks: 'the body of a stream is a JSON object without events',
    kills: { '4.2/stream-events': matchMalformedStream('no-events') },
    mayAffect: [...CHUNK_CHECKS, '4.2/streams-at-once', '2.1/all-stream-chat'],
    hooks: changeSuccesses(isChatStream, setBody('{"detail":"overloaded"}')),
  },
  {
    id: '4.2/ping-as-data',
    breaks: 'streams contain keep-alive events instead of comments',
    kills: { '4.2/chunk-json': matchMalformedStream('not-json', 'ping') },
    hooks: changeFrames((frames) =>
      frames.flatMap((text, index) => (index === 1 ? [formatServerSentEvent('ping'), text] : [text])),
    ),
  },
  {
    id: '4.2/done-alone',
    breaks: 'streams consist only of [DONE]',
    kills: {
      '4.2/stream-events': matchMalformedStream('no-chunks'),
      '4.2/chunk-json': matchMalformedStream('no-chunks'),
      '4.2/chunk-object': matchMalformedStream('no-choices'),
      '4.2/chunk-id': matchMalformedStream('no-choices'),
      '4.2/chunk-index': matchMalformedStream('no-choices'),
      '4.2/role-first': matchMalformedStream('no-role'),
      '4.2/content-text': matchMalformedStream('no-content'),
      '4.2/finish-reason-last': matchMalformedStream('no-finish-reason'),
    },
    hooks: changeFrames((frames) => frames.slice(-1)),
  },
  {
    id: '4.2/whole-object-name',
    breaks: 'the object type of chunks is "chat.completion"',
    kills: { '4.2/chunk-object': matchWrongValue('object', 'chat.completion') },
    hooks: changeChunks('object', () => 'chat.completion'),
  },
  {
    id: '4.2/chunk-created-in-ms',
    breaks: 'the created time of chunks is in milliseconds',
    kills: { '4.2/stream-form-everywhere': { code: 'wrong-value', params: { path: 'created', unit: 'ms' } } },
    hooks: changeChunks('created', (value) => Number(value) * 1000),
  },
  {
    id: '4.2/usage-object-name',
    breaks: 'the object type of the chunk with usage is "chat.completion"',
    kills: { '4.2/stream-form-everywhere': matchWrongValue('object', 'chat.completion') },
    hooks: changeFrames((frames) =>
      frames.map((text) =>
        text.includes('"choices":[]') ? text.replace('chat.completion.chunk', 'chat.completion') : text,
      ),
    ),
  },
  {
    id: '4.2/id-per-chunk',
    breaks: 'each chunk has a different id',
    kills: { '4.2/chunk-id': matchMalformedStream('several-ids') },
    hooks: changeChunks('id', (_id, index) => `chatcmpl-${index}`),
  },
  {
    id: '4.2/index-per-chunk',
    breaks: 'the index of the choice counts the chunks',
    kills: { '4.2/chunk-index': matchMalformedStream('several-indexes') },
    hooks: changeChunks('index', (_index, index) => index),
  },
  {
    id: '4.2/chunks-without-id',
    breaks: 'chunks have no id',
    kills: { '4.2/chunk-id': matchMissingField('id') },
    hooks: changeChunks('id', () => undefined),
  },
  {
    id: '4.2/chunks-without-index',
    breaks: 'the choices of chunks have no index',
    kills: { '4.2/chunk-index': matchMissingField('choices[0].index') },
    hooks: changeChunks('index', () => undefined),
  },
  {
    id: '4.2/content-in-parts',
    breaks: 'the content of deltas is an array of parts instead of text',
    kills: { '4.2/content-text': matchMalformedStream('content-not-text') },
    hooks: changeChunks('content', (text) => [{ type: 'text', text }]),
  },
  {
    id: '4.2/trimmed-content',
    breaks: 'the text of each delta is trimmed, so that words have no spaces between them',
    kills: { '4.2/content-text': matchMalformedStream('no-spaces') },
    hooks: changeChunks('content', (text) => String(text).trim()),
  },
  {
    id: '4.2/content-so-far',
    breaks: 'each delta repeats the text of the previous ones',
    kills: { '4.2/content-text': matchMalformedStream('repeated-text', '1 | 1 2 | 1 2 3') },
    hooks: changeChunks('content', (_text, index) => Array.from({ length: index }, (_, at) => at + 1).join(' ')),
  },
  {
    id: '4.2/content-so-far-once',
    breaks: 'a delta repeats the text of all previous ones',
    kills: { '4.2/content-text': matchMalformedStream('repeated-text', '6  | 1 2 3 4 5 6 7 | 8 ') },
    mayAffect: ['4.2/stream-form-everywhere'],
    hooks: changeChunks('content', (_text, index) => (index === 6 ? '1 2 3 4 5 6 7' : `${index + 1} `)),
  },
  {
    id: '4.2/no-finish-reason',
    breaks: 'no chunk has a finish_reason',
    kills: { '4.2/finish-reason-last': matchMalformedStream('no-finish-reason', null) },
    hooks: changeChunks('finish_reason', () => null),
  },
  {
    id: '4.2/empty-finish-reason',
    breaks: 'each chunk has an empty finish_reason, the last one too',
    kills: { '4.2/finish-reason-last': matchMalformedStream('no-finish-reason', '') },
    hooks: changeChunks('finish_reason', () => ''),
  },
  {
    id: '4.2/other-finish-reason',
    breaks: 'the finish_reason is "MAX_TOKENS" if max_tokens ended the stream',
    kills: { '4.2/finish-reason-last': matchMalformedStream('other-finish-reason', 'MAX_TOKENS') },
    mayAffect: ['4.2/stream-form-everywhere'],
    hooks: changeChunks('finish_reason', (reason) => (reason === 'length' ? 'MAX_TOKENS' : reason)),
  },
  {
    id: '4.2/chunks-of-another-shape',
    breaks: 'chunks have a text in place of choices',
    kills: {
      '4.2/role-first': matchMalformedStream('no-choices'),
      '4.2/content-text': matchMalformedStream('no-choices'),
      '4.2/finish-reason-last': matchMalformedStream('no-choices'),
      '4.2/usage-not-asked': matchMalformedStream('no-choices'),
    },
    mayAffect: CHUNK_CHECKS,
    hooks: changeFrames((frames) => [
      ...frames.slice(0, -1).map(() => formatServerSentEvent('{"text":"one "}')),
      ...frames.slice(-1),
    ]),
  },
  {
    id: '4.2/finish-reason-everywhere',
    breaks: 'each chunk has a finish_reason',
    kills: { '4.2/finish-reason-last': matchMalformedStream('early-finish-reason', 'stop') },
    hooks: changeChunks('finish_reason', () => 'stop'),
  },
  {
    id: '4.2/null-error',
    breaks: 'each chunk has "error": null',
    kills: { '4.2/no-error-member': matchMalformedStream('error-member', null) },
    hooks: changeFrames((frames) => frames.map((text) => text.replace('data: {', 'data: {"error":null,'))),
  },
  {
    id: '4.2/usage-for-all',
    breaks: 'streams end with a usage chunk that was not requested',
    kills: { '4.2/usage-not-asked': matchMalformedStream('empty-choices') },
    hooks: changeFrames((frames) => [...frames.slice(0, -1), formatServerSentEvent(NO_CHOICE), ...frames.slice(-1)]),
  },
  {
    id: '4.2/comment-after-id',
    breaks: 'streams have ids of events, and a comment after each event',
    kills: {
      '4.2/frame-form': {
        code: 'unread-form',
        params: { properties: ['event-fields=id', 'keep-alive-comments=each'] },
      },
    },
    hooks: changeFrames((frames) => frames.map((text, index) => `id: ${index}\n${text}: keep-alive\n\n`)),
  },
  {
    id: '4.2/no-done',
    breaks: 'streams end without [DONE]',
    kills: { '4.2/done-last': matchMalformedStream('no-done') },
    hooks: changeFrames((frames) => frames.slice(0, -1)),
  },
  {
    id: '4.2/event-after-done',
    breaks: 'a chunk follows after [DONE]',
    kills: { '4.2/done-last': matchMalformedStream('event-after-done') },
    // Clients ignore this chunk, which contains the finish_reason.
    mayAffect: ['4.2/finish-reason-last'],
    hooks: changeFrames((frames) => [...frames.slice(0, -2), ...frames.slice(-2).reverse()]),
  },
  {
    id: '4.2/last-frame-open',
    breaks: 'the last frame lacks its blank line',
    kills: { '4.2/last-frame-closed': matchMalformedStream('no-blank-line') },
    // Parsers ignore a frame without a blank line, including the frame of [DONE].
    mayAffect: ['4.2/done-last'],
    hooks: changeFrames((frames) => [frames.join('').trimEnd(), '\n']),
  },
  {
    id: '4.2/stream-options-refused',
    breaks: 'stream_options is rejected',
    kills: {
      '4.2/stream-options-accepted': matchUnexpectedStatus(400),
      '4.2/stream-usage-asked': matchObservedStatus(400),
    },
    hooks: rejectRequests(
      matchFieldsOf('chat', (fields) => 'stream_options' in fields),
      400,
    ),
  },
  {
    id: '4.2/accept-outweighs-stream',
    breaks: 'Accept: application/json turns a stream into a JSON response',
    kills: { '4.2/stream-accept-json': matchMediaType('application/json') },
    hooks: rewriteFields(matchAll(isChatStream, matchHeader('accept', /^application\/json$/)), { stream: false }),
  },
]
