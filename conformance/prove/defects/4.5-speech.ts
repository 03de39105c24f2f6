import { alterServed, body, header, refuse } from '../change/answers.ts'
import { all, type Fields, type Match, to, withBody, withFields, withHeader } from '../change/match.ts'
import { rewriteFields } from '../change/requests.ts'
import type { Defect } from '../defect.ts'

function speechWith(has: (fields: Fields) => boolean): Match {
  return all(to('speech'), withFields(has))
}

/** An ID3v2 tag without content, and nothing after it. */
const EMPTY_TAG = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 0])

const sounds: readonly Defect[] = [
  {
    id: '4.5/wave-for-mp3',
    breaks: 'speech is a WAVE file, labelled audio/mpeg',
    kills: { '4.5/mp3': /^no MP3 frame header at byte 0$/, '4.5/mp3-frames': /^no MP3 frame header at byte 0,/ },
    wire: alterServed(to('speech'), body('RIFF\x24\0\0\0WAVEfmt ')),
  },
  {
    id: '4.5/no-sound',
    breaks: 'the body of speech is empty',
    kills: {
      '4.5/mp3': /^the body is empty$/,
      '4.5/mp3-frames': /^there is no MP3 frame$/,
      '4.5/accept-octet-stream': /^the body is empty$/,
    },
    wire: alterServed(to('speech'), body('')),
  },
  {
    id: '4.5/tag-alone',
    breaks: 'speech is a tag without any sound',
    kills: { '4.5/mp3': /^nothing follows the ID3 tag$/, '4.5/mp3-frames': /^there is no MP3 frame$/ },
    wire: alterServed(to('speech'), body(EMPTY_TAG)),
  },
  {
    id: '4.5/cut-short',
    breaks: 'the end of speech is missing',
    kills: { '4.5/mp3-frames': /^the frame at byte \d+ has \d+ of its \d+ bytes$/ },
    wire: alterServed(to('speech'), (answer) => ({ ...answer, body: answer.body.subarray(0, -7) })),
  },
  {
    id: '4.5/labelled-json',
    breaks: 'speech is labelled application/json',
    kills: {
      '4.5/not-json': /^the media type is application\/json$/,
      '4.5/media-type': /^the media type is "application\/json"$/,
    },
    wire: alterServed(to('speech'), header('content-type', 'application/json')),
  },
  {
    id: '4.5/sound-in-json',
    breaks: 'speech is base64 text inside JSON',
    kills: { '4.5/not-json': /^the body is JSON$/ },
    mayTouch: ['4.5/mp3', '4.5/mp3-frames'],
    wire: alterServed(to('speech'), body('{"audio":"//uQxAAA"}')),
  },
  {
    id: '4.5/octet-stream',
    breaks: 'speech is labelled application/octet-stream',
    kills: { '4.5/media-type': /^the media type is "application\/octet-stream"$/ },
    wire: alterServed(to('speech'), header('content-type', 'application/octet-stream')),
  },
]

const requests: readonly Defect[] = [
  {
    id: '4.5/wave-with-a-voice',
    breaks: 'with a voice speech is a WAVE file',
    kills: { '4.5/every-answer': /^with the voice "alloy": no MP3 frame header at byte 0,/ },
    wire: alterServed(
      speechWith((fields) => 'voice' in fields),
      body('RIFF\x24\0\0\0WAVEfmt '),
    ),
  },
  {
    id: '4.5/exhausted-by-bytes',
    breaks: 'bytes that are no UTF-8 exhaust the reader of requests for speech',
    kills: { '4.5/invalid-utf8': /^answered 500$/ },
    wire: refuse(all(to('speech'), withBody(/caf\xe9/)), 500),
  },
  {
    id: '4.5/ascii-alone',
    breaks: 'speech understands ASCII alone',
    kills: { '4.5/unicode-input': /^answered 400$/ },
    wire: refuse(all(to('speech'), withBody(/[\x80-\xff]/)), 400),
  },
  {
    id: '4.5/alloy-refused',
    breaks: 'the voice "alloy" is not there',
    kills: { '4.5/voice-alloy': /^answered 400$/ },
    wire: refuse(
      speechWith(({ voice }) => voice === 'alloy'),
      400,
    ),
  },
  {
    id: '8/voice-demanded',
    breaks: 'speech without a voice is refused',
    kills: { '8/voice-default': /^answered 400, and served with the voice "alloy"$/ },
    mayTouch: ['1/speech-offered'],
    wire: refuse(
      speechWith((fields) => !('voice' in fields)),
      400,
    ),
  },
  {
    id: '4.5/accept-refused',
    breaks: 'speech is refused to clients that accept application/octet-stream',
    kills: { '4.5/accept-octet-stream': /^answered 400$/ },
    wire: refuse(all(to('speech'), withHeader('accept', /^application\/octet-stream$/)), 400),
  },
]

const openPoints: readonly Defect[] = [
  {
    id: '4.5/spoken-twice',
    breaks: 'nothing: how long a text is spoken is not shown',
    kills: { '4.5/duration': /: 5\.\d s of sound in \d+ frames$/ },
    wire: alterServed(to('speech'), (answer) => ({ ...answer, body: Buffer.concat([answer.body, answer.body]) })),
  },
  {
    id: '4.5/echo-refused',
    breaks: 'nothing: the valid voices are not shown',
    kills: { '4.5/voice-other': /: answered 400$/ },
    wire: refuse(
      speechWith(({ voice }) => voice === 'echo'),
      400,
    ),
  },
  {
    id: '4.5/unknown-voice-refused',
    breaks: 'nothing: the valid voices are not shown',
    kills: { '4.5/voice-unknown': /: answered 400$/ },
    wire: refuse(
      speechWith(({ voice }) => voice === 'touchstone'),
      400,
    ),
  },
  {
    id: '4.5/empty-input-served',
    breaks: 'nothing: a target may speak an empty text',
    kills: { '4.5/input-empty': /: answered 200$/ },
    wire: rewriteFields(
      speechWith(({ input }) => input === ''),
      () => ({ input: ' ' }),
    ),
  },
]

export const speechDefects: readonly Defect[] = [...sounds, ...requests, ...openPoints]
