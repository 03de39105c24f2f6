import { changeSuccesses, body, header, reject } from '../change/responses.ts'
import { all, type Fields, type Match, to, withBody, withFields, withHeader } from '../change/match.ts'
import { rewriteFields } from '../change/requests.ts'
import type { Mutant } from '../mutant.ts'
import { brokenDown, observedStatus, unexpectedStatus } from '../result-match.ts'

function speechWith(has: (fields: Fields) => boolean): Match {
  return all(to('speech'), withFields(has))
}

/** An empty ID3v2 tag without audio frames. */
const EMPTY_TAG = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 0])

const sounds: readonly Mutant[] = [
  {
    id: '4.5/wave-for-mp3',
    breaks: 'speech is a WAVE file, labelled audio/mpeg',
    kills: {
      '4.5/mp3': { code: 'mp3-malformed', params: { problem: 'no-frame-header', offset: 0 } },
      '4.5/mp3-frames': { code: 'mp3-malformed', params: { problem: 'no-frame-header', offset: 0, frames: 0 } },
    },
    wire: changeSuccesses(to('speech'), body('RIFF\x24\0\0\0WAVEfmt ')),
  },
  {
    id: '4.5/no-sound',
    breaks: 'the body of speech is empty',
    kills: {
      '4.5/mp3': { code: 'mp3-malformed', params: { problem: 'empty' } },
      '4.5/mp3-frames': { code: 'mp3-malformed', params: { problem: 'no-frame' } },
    },
    wire: changeSuccesses(to('speech'), body('')),
  },
  {
    id: '4.5/tag-alone',
    breaks: 'speech is a tag without any sound',
    kills: {
      '4.5/mp3': { code: 'mp3-malformed', params: { problem: 'nothing-after-tag' } },
      '4.5/mp3-frames': { code: 'mp3-malformed', params: { problem: 'no-frame' } },
    },
    wire: changeSuccesses(to('speech'), body(EMPTY_TAG)),
  },
  {
    id: '4.5/cut-short',
    breaks: 'the end of speech is missing',
    kills: { '4.5/mp3-frames': { code: 'mp3-malformed', params: { problem: 'frame-cut' } } },
    wire: changeSuccesses(to('speech'), (response) => ({ ...response, body: response.body.subarray(0, -7) })),
  },
  {
    id: '4.5/labelled-json',
    breaks: 'speech is labelled application/json',
    kills: {
      '4.5/not-json': { code: 'unexpected-media-type', params: { actualMediaType: 'application/json' } },
      '4.5/media-type': { code: 'unexpected-media-type', params: { actualMediaType: 'application/json' } },
    },
    wire: changeSuccesses(to('speech'), header('content-type', 'application/json')),
  },
  {
    id: '4.5/sound-in-json',
    breaks: 'speech is base64 text inside JSON',
    kills: { '4.5/not-json': { code: 'wrong-body', params: { problem: 'json' } } },
    mayAffect: ['4.5/mp3', '4.5/mp3-frames'],
    wire: changeSuccesses(to('speech'), body('{"audio":"//uQxAAA"}')),
  },
  {
    id: '4.5/octet-stream',
    breaks: 'speech is labelled application/octet-stream',
    kills: {
      '4.5/media-type': { code: 'unexpected-media-type', params: { actualMediaType: 'application/octet-stream' } },
    },
    wire: changeSuccesses(to('speech'), header('content-type', 'application/octet-stream')),
  },
]

const requests: readonly Mutant[] = [
  {
    id: '4.5/wave-with-a-voice',
    breaks: 'with a voice speech is a WAVE file',
    kills: {
      '4.5/every-answer': {
        code: 'mp3-malformed',
        params: { problem: 'no-frame-header', offset: 0, frames: 0 },
      },
    },
    wire: changeSuccesses(
      speechWith((fields) => 'voice' in fields),
      body('RIFF\x24\0\0\0WAVEfmt '),
    ),
  },
  {
    id: '4.5/exhausted-by-bytes',
    breaks: 'bytes that are no UTF-8 exhaust the reader of requests for speech',
    kills: { '7/breakdown-speech': brokenDown('speech', 500) },
    mayAffect: ['4.5/invalid-utf8'],
    wire: reject(all(to('speech'), withBody(/caf\xe9/)), 500),
  },
  {
    id: '4.5/unknown-type-of-bytes',
    breaks: 'nothing: the treatment of bytes that are no UTF-8 is not specified',
    kills: { '4.5/invalid-utf8': observedStatus(415) },
    wire: reject(all(to('speech'), withBody(/caf\xe9/)), 415),
  },
  {
    id: '4.5/ascii-alone',
    breaks: 'speech understands only ASCII',
    kills: { '4.5/unicode-input': unexpectedStatus(400) },
    wire: reject(all(to('speech'), withBody(/[\x80-\xff]/)), 400),
  },
  {
    id: '4.5/alloy-refused',
    breaks: 'the voice "alloy" is not there',
    kills: { '4.5/voice-alloy': unexpectedStatus(400) },
    wire: reject(
      speechWith(({ voice }) => voice === 'alloy'),
      400,
    ),
  },
  {
    id: '8/voice-demanded',
    breaks: 'speech without a voice is rejected',
    kills: {
      '8/voice-default': {
        code: 'served-only-otherwise',
        params: { actualStatus: 400, servedWith: { parameter: 'voice', value: 'alloy' } },
      },
    },
    mayAffect: ['1/speech-offered'],
    wire: reject(
      speechWith((fields) => !('voice' in fields)),
      400,
    ),
  },
  {
    id: '4.5/accept-refused',
    breaks: 'speech is rejected to clients that accept application/octet-stream',
    kills: { '4.5/accept-octet-stream': unexpectedStatus(400) },
    wire: reject(all(to('speech'), withHeader('accept', /^application\/octet-stream$/)), 400),
  },
]

const openPoints: readonly Mutant[] = [
  {
    id: '4.5/spoken-twice',
    breaks: 'nothing: how long a text is spoken is not specified',
    kills: { '4.5/duration': { code: 'observed-response', params: { seen: { kind: 'sound', durationMs: 5808 } } } },
    wire: changeSuccesses(to('speech'), (response) => ({
      ...response,
      body: Buffer.concat([response.body, response.body]),
    })),
  },
  {
    id: '4.5/echo-refused',
    breaks: 'nothing: the valid voices are not specified',
    kills: { '4.5/voice-other': observedStatus(400) },
    wire: reject(
      speechWith(({ voice }) => voice === 'echo'),
      400,
    ),
  },
  {
    id: '4.5/unknown-voice-refused',
    breaks: 'nothing: the valid voices are not specified',
    kills: { '4.5/voice-unknown': observedStatus(400) },
    wire: reject(
      speechWith(({ voice }) => voice === 'touchstone'),
      400,
    ),
  },
  {
    id: '4.5/empty-input-served',
    breaks: 'nothing: a target may speak an empty text',
    kills: { '4.5/input-empty': observedStatus(200) },
    wire: rewriteFields(
      speechWith(({ input }) => input === ''),
      () => ({ input: ' ' }),
    ),
  },
]

export const speechMutants: readonly Mutant[] = [...sounds, ...requests, ...openPoints]
