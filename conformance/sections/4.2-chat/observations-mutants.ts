import { rejectRequests } from '../../mutation/change/responses.ts'
import {
  type JsonFields,
  matchBody,
  matchFields,
  matchOperation,
  type RequestMatcher,
} from '../../mutation/change/match.ts'
import { rewriteRequests, rewriteFields } from '../../mutation/change/requests.ts'
import { changeChunks, changeFrames } from '../../mutation/change/stream.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { matchObserved, matchObservedStatus } from '../../mutation/result-match.ts'

/** Requests with unspecified content that the emulator serves and that the mutants reject. */
const REJECTED: readonly { readonly check: string; readonly what: string; readonly pattern: RegExp }[] = [
  { check: '4.2/quality-parameter', what: 'a parameter "quality"', pattern: /"quality"/ },
  { check: '4.2/content-text-part', what: 'content as an array of text parts', pattern: /"content":\[(?!.*image_url)/ },
  { check: '4.2/content-image-part', what: 'content with an image', pattern: /"image_url"/ },
  { check: '4.2/content-empty', what: 'empty content', pattern: /"content":""/ },
  { check: '4.2/null-optional', what: 'null for an optional parameter', pattern: /"temperature":null/ },
  { check: '4.2/integer-with-point', what: '10.0 for an integer', pattern: /"max_tokens":10\.0/ },
  { check: '4.2/integer-with-exponent', what: '1e1 for an integer', pattern: /"max_tokens":1e1/ },
  { check: '4.2/duplicate-member', what: 'the same field twice', pattern: /"max_tokens".*"max_tokens"/ },
  { check: '4.2/unknown-member', what: 'an unknown field', pattern: /"touchstone":1/ },
  { check: '4.2/max-tokens-one', what: 'max_tokens 1', pattern: /"max_tokens":1[,}]/ },
]

/** Checks that fail if the target rejects the request, because the emulator declares that it serves it. */
const DECLARED: Readonly<Record<string, readonly string[]>> = {
  '4.2/quality-parameter': ['2.2/auto', '2.2/low', '2.2/high', '2.2/ultra'],
  '4.2/content-image-part': ['4.2/vision'],
}

/** Requests with unspecified content that the emulator rejects and that the mutants serve. */
const SERVED: readonly {
  readonly check: string
  readonly what: string
  readonly match: RequestMatcher
  readonly as: JsonFields
}[] = [
  {
    check: '4.2/messages-empty',
    what: 'an empty messages array',
    match: matchFields(({ messages }) => Array.isArray(messages) && messages.length === 0),
    as: { messages: [{ role: 'user', content: '' }] },
  },
  {
    check: '4.2/max-tokens-zero',
    what: 'max_tokens 0',
    match: matchFields({ max_tokens: 0 }),
    as: { max_tokens: 1 },
  },
  {
    check: '4.2/max-tokens-negative',
    what: 'max_tokens -1',
    match: matchFields({ max_tokens: -1 }),
    as: { max_tokens: undefined },
  },
]

export const chatObservationMutants: readonly Mutant[] = [
  {
    id: '4.2/invalid-utf8-served',
    breaks: 'nothing: a target may accept invalid UTF-8',
    kills: { '4.2/invalid-utf8': matchObservedStatus(200) },
    hooks: rewriteRequests(matchOperation('chat', matchBody(/\xff/)), (request) => ({
      ...request,
      body: Buffer.from(request.body.toString('latin1').replaceAll('\u00ff', 'o')),
    })),
  },
  ...REJECTED.map(({ check, what, pattern }) => ({
    id: `${check}-refused`,
    breaks: `nothing: a target may reject ${what}`,
    kills: { [check]: matchObservedStatus(400) },
    mayAffect: DECLARED[check] ?? [],
    hooks: rejectRequests(matchOperation('chat', matchBody(pattern)), 400),
  })),
  ...SERVED.map(({ check, what, match, as }) => ({
    id: `${check}-served`,
    breaks: `nothing: a target may serve ${what}`,
    kills: { [check]: matchObservedStatus(200) },
    hooks: rewriteFields(matchOperation('chat', match), { ...as }),
  })),
  {
    id: '4.2/no-null-character',
    breaks: 'nothing: the characters of a message are not specified',
    kills: { '4.2/content-null-character': matchObservedStatus(400) },
    hooks: rejectRequests(matchOperation('chat', matchBody(/\\u0000/)), 400),
  },
  {
    id: '4.2/named-events',
    breaks: 'nothing: the framing of a stream is not specified',
    kills: { '4.2/stream-frames': matchObserved({ kind: 'stream-frames', names: ['chunk'] }) },
    hooks: changeFrames((frames) => frames.map((text) => `event: chunk\n${text}`)),
  },
  {
    id: '4.2/usage-with-choices',
    breaks: 'nothing: the position of the usage in a stream is not specified',
    kills: { '4.2/stream-usage-asked': matchObserved({ kind: 'stream-usage', usage: 'with-choices' }) },
    hooks: changeChunks('choices', (choices) =>
      Array.isArray(choices) && choices.length === 0 ? [{ index: 0, delta: {}, finish_reason: 'length' }] : choices,
    ),
  },
]
