import { changeSuccesses, setBody, setHeader, rejectRequests } from '../../mutation/change/responses.ts'
import { matchBody, matchFieldsOf, matchHeader, matchOperation } from '../../mutation/change/match.ts'
import { rewriteFields } from '../../mutation/change/requests.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import {
  matchMediaType,
  matchObserved,
  matchObservedStatus,
  matchOperationBreakdown,
  matchServedOtherwise,
  matchUnexpectedStatus,
} from '../../mutation/result-match.ts'

const EMPTY_TAG = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 0])

export const speechMutants: readonly Mutant[] = [
  {
    id: '4.5/wave-for-mp3',
    breaks: 'speech is a WAVE file, labelled audio/mpeg',
    kills: {
      '4.5/mp3': { code: 'mp3-malformed', params: { problem: 'no-frame-header', offset: 0 } },
      '4.5/mp3-frames': { code: 'mp3-malformed', params: { problem: 'no-frame-header', offset: 0, frames: 0 } },
    },
    hooks: changeSuccesses(matchOperation('speech'), setBody('RIFF\x24\0\0\0WAVEfmt ')),
  },
  {
    id: '4.5/no-sound',
    breaks: 'the body of speech is empty',
    kills: {
      '4.5/mp3': { code: 'mp3-malformed', params: { problem: 'empty' } },
      '4.5/mp3-frames': { code: 'mp3-malformed', params: { problem: 'no-frame' } },
    },
    hooks: changeSuccesses(matchOperation('speech'), setBody('')),
  },
  {
    id: '4.5/tag-alone',
    breaks: 'speech is an ID3 tag without audio',
    kills: {
      '4.5/mp3': { code: 'mp3-malformed', params: { problem: 'nothing-after-tag' } },
      '4.5/mp3-frames': { code: 'mp3-malformed', params: { problem: 'no-frame' } },
    },
    hooks: changeSuccesses(matchOperation('speech'), setBody(EMPTY_TAG)),
  },
  {
    id: '4.5/cut-short',
    breaks: 'the audio of speech is truncated',
    kills: { '4.5/mp3-frames': { code: 'mp3-malformed', params: { problem: 'frame-cut' } } },
    hooks: changeSuccesses(matchOperation('speech'), (response) => ({
      ...response,
      body: response.body.subarray(0, -7),
    })),
  },
  {
    id: '4.5/labelled-json',
    breaks: 'speech is labelled application/json',
    kills: {
      '4.5/not-json': matchMediaType('application/json'),
      '4.5/media-type': matchMediaType('application/json'),
    },
    hooks: changeSuccesses(matchOperation('speech'), setHeader('content-type', 'application/json')),
  },
  {
    id: '4.5/sound-in-json',
    breaks: 'speech is base64 text inside JSON',
    kills: { '4.5/not-json': { code: 'wrong-body', params: { problem: 'json' } } },
    mayAffect: ['4.5/mp3', '4.5/mp3-frames'],
    hooks: changeSuccesses(matchOperation('speech'), setBody('{"audio":"//uQxAAA"}')),
  },
  {
    id: '4.5/exhausted-by-bytes',
    breaks: 'invalid UTF-8 in a speech request causes a server error',
    kills: { '7/breakdown-speech': matchOperationBreakdown('speech', 500) },
    mayAffect: ['4.5/invalid-utf8'],
    hooks: rejectRequests(matchOperation('speech', matchBody(/caf\xe9/)), 500),
  },
  {
    id: '4.5/unknown-type-of-bytes',
    breaks: 'nothing: the treatment of invalid UTF-8 is not specified',
    kills: { '4.5/invalid-utf8': matchObservedStatus(415) },
    hooks: rejectRequests(matchOperation('speech', matchBody(/caf\xe9/)), 415),
  },
  {
    id: '4.5/ascii-alone',
    breaks: 'speech accepts only ASCII',
    kills: { '4.5/unicode-input': matchUnexpectedStatus(400) },
    hooks: rejectRequests(matchOperation('speech', matchBody(/[\x80-\xff]/)), 400),
  },
  {
    id: '4.5/alloy-refused',
    breaks: 'the voice "alloy" is rejected',
    kills: { '4.5/voice-alloy': matchUnexpectedStatus(400) },
    hooks: rejectRequests(matchFieldsOf('speech', { voice: 'alloy' }), 400),
  },
  {
    id: '8/voice-demanded',
    breaks: 'speech without a voice is rejected',
    kills: { '8/voice-default': matchServedOtherwise({ parameter: 'voice', value: 'alloy' }) },
    mayAffect: ['1/speech-offered'],
    hooks: rejectRequests(matchFieldsOf('speech', { voice: undefined }), 400),
  },
  {
    id: '8/voice-demanded-with-422',
    breaks: 'speech without a voice gets 422',
    kills: { '8/voice-default': matchServedOtherwise({ parameter: 'voice', value: 'alloy' }, 422) },
    mayAffect: ['1/speech-offered', '7/statuses-speech'],
    hooks: rejectRequests(matchFieldsOf('speech', { voice: undefined }), 422),
  },
  {
    id: '4.5/accept-refused',
    breaks: 'speech rejects Accept: application/octet-stream',
    kills: { '4.5/accept-octet-stream': matchUnexpectedStatus(400) },
    hooks: rejectRequests(matchOperation('speech', matchHeader('accept', /^application\/octet-stream$/)), 400),
  },
  {
    id: '4.5/spoken-twice',
    breaks: 'nothing: the duration of speech is not specified',
    kills: { '4.5/duration': matchObserved({ kind: 'sound', durationMs: 57_024 }) },
    hooks: changeSuccesses(matchOperation('speech'), (response) => ({
      ...response,
      body: Buffer.concat([response.body, response.body]),
    })),
  },
  {
    id: '4.5/echo-refused',
    breaks: 'nothing: the valid voices are not specified',
    kills: { '4.5/voice-other': matchObservedStatus(400) },
    hooks: rejectRequests(matchFieldsOf('speech', { voice: 'echo' }), 400),
  },
  {
    id: '4.5/unknown-voice-refused',
    breaks: 'nothing: the valid voices are not specified',
    kills: { '4.5/voice-unknown': matchObservedStatus(400) },
    hooks: rejectRequests(matchFieldsOf('speech', { voice: 'touchstone' }), 400),
  },
  {
    id: '4.5/empty-input-served',
    breaks: 'nothing: a target may accept an empty input',
    kills: { '4.5/input-empty': matchObservedStatus(200) },
    hooks: rewriteFields(matchFieldsOf('speech', { input: '' }), { input: ' ' }),
  },
]
