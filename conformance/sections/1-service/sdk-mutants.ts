import { changeSuccesses, changeStatus, setBody, setHeader, changeProperty } from '../../mutation/change/responses.ts'
import { isCompletionRequest, matchOperation } from '../../mutation/change/match.ts'
import { changeChunks, changeFrames, formatServerSentEvent } from '../../mutation/change/stream.ts'
import type { Mutant } from '../../mutation/mutant.ts'

/** Checks without the SDK that find the same deviations. */
const FOUND_ELSEWHERE = [
  '1/json-media-type-chat',
  '1/json-media-type-images',
  '1/json-media-type-transcriptions',
  '4.1/list-shape',
  '4.2/chunk-json',
  '4.2/role-first',
  '4.5/mp3',
  '4.5/mp3-frames',
  '4.5/media-type',
  '4.5/not-json',
  '7/error-body-400',
  '7/error-body-401',
  '7/error-body-402',
  '7/error-body-404',
  '7/error-body-429',
] as const

const asText = setHeader('content-type', 'text/plain')

const served: readonly Mutant[] = [
  {
    id: '1/list-under-another-name',
    breaks: 'the data of the list is an object with a "models" member',
    kills: { '1/sdk-list': { code: 'sdk-differs', params: { error: 'TypeError', wire: [] } } },
    mayAffect: ['2.1/id', '2.1/object', '2.1/created', '2.1/owned-by', '2.1/all-listed'],
    hooks: changeSuccesses(
      matchOperation('models'),
      changeProperty('data', (data) => ({ models: data })),
    ),
  },
  {
    id: '1/text-for-sdk-chat',
    breaks: 'completions are labelled text/plain',
    kills: { '1/sdk-chat': { code: 'sdk-differs', params: { error: 'TypeError' } } },
    hooks: changeSuccesses(isCompletionRequest, asText),
  },
  {
    id: '1/ping-to-sdk',
    breaks: 'streams contain keep-alive events instead of comments',
    kills: { '1/sdk-stream': { code: 'sdk-differs', params: { error: 'SyntaxError' } } },
    mayAffect: ['1/sdk-stream-helper'],
    hooks: changeFrames((frames) =>
      frames.flatMap((text, index) => (index === 1 ? [formatServerSentEvent('ping'), text] : [text])),
    ),
  },
  {
    id: '1/no-role-for-sdk',
    breaks: 'the first delta has no role',
    kills: {
      '1/sdk-stream-helper': { code: 'sdk-differs', params: { error: 'Error', message: 'missing role for choice 0' } },
    },
    hooks: changeChunks('role', () => undefined),
  },
  {
    id: '1/text-for-sdk-image',
    breaks: 'image results are labelled text/plain',
    kills: { '1/sdk-image': { code: 'sdk-differs', params: { sdk: undefined, error: undefined } } },
    hooks: changeSuccesses(matchOperation('images'), asText),
  },
  {
    id: '1/sentence-for-sdk-speech',
    breaks: 'the speech response is a message in JSON',
    kills: { '1/sdk-speech': { code: 'sdk-differs', params: { sdk: 'bytes that are not MP3' } } },
    mayAffect: ['4.5/duration', '8/voice-default'],
    hooks: changeSuccesses(matchOperation('speech'), setBody('{"message":"in a moment"}')),
  },
  {
    id: '1/text-for-sdk-transcription',
    breaks: 'transcriptions are labelled text/plain',
    kills: { '1/sdk-transcription': { code: 'sdk-differs', params: { sdk: undefined, error: undefined } } },
    hooks: changeSuccesses(matchOperation('transcriptions'), asText),
  },
]

const errors: readonly Mutant[] = (
  [
    [400, '1/sdk-error-400'],
    [401, '1/sdk-error-401'],
    [402, '1/sdk-error-402'],
    [404, '1/sdk-error-404'],
    [429, '1/sdk-error-429'],
  ] as const
).map(([code, check]) => ({
  id: `1/detail-for-sdk-${code}`,
  breaks: `the body of a ${code} has its message in "detail"`,
  kills: { [check]: { code: 'sdk-error-differs', params: { body: '{"detail":"refused"}' } } },
  mayAffect: ['7/error-shape'],
  hooks: changeStatus(code, setBody('{"detail":"refused"}')),
}))

export const sdkMutants: readonly Mutant[] = [...served, ...errors].map((mutant) => ({
  ...mutant,
  mayAffect: [...(mutant.mayAffect ?? []), ...FOUND_ELSEWHERE],
}))
