import type { Requirement } from './requirement.ts'

const RESPONSE = 'Response: binary audio in MP3 format, not JSON.'

/** Section 4.5: synthesize speech. */
export const speechRequirements = [
  {
    id: '4.5/endpoint',
    section: '4.5',
    level: 'stated',
    quote: 'POST {base_url}/v1/audio/speech',
    excluded: 'used by each request of the section; 1/speech-offered asks for nothing else',
  },
  {
    id: '4.5/purpose',
    section: '4.5',
    level: 'stated',
    quote: 'Purpose: synthesize speech from text.',
    excluded: 'the heading of what follows; 1/speech-offered checks it',
  },
  {
    id: '4.5/model',
    section: '4.5',
    level: 'stated',
    quote: '| model | string | yes | Model ID |',
    checks: ['4.5/model-missing', '4.5/model-wrong-type'],
  },
  {
    id: '4.5/input',
    section: '4.5',
    level: 'stated',
    quote: '| input | string | yes | Text to convert |',
    checks: ['4.5/input-missing', '4.5/input-wrong-type', '4.5/unicode-input'],
  },
  {
    id: '4.5/input-empty',
    section: '4.5',
    level: 'silent',
    quote: '| input | string | yes | Text to convert |',
    checks: ['4.5/input-empty'],
  },
  {
    id: '4.5/input-bytes',
    section: '4.5',
    level: 'silent',
    quote: '| input | string | yes | Text to convert |',
    checks: ['4.5/invalid-utf8'],
  },
  {
    id: '4.5/voice',
    section: '4.5',
    level: 'stated',
    quote: '| voice | string | no | Voice ID; default "alloy" |',
    checks: ['4.5/voice-wrong-type', '4.5/voice-alloy'],
  },
  {
    id: '4.5/response',
    section: '4.5',
    level: 'stated',
    quote: RESPONSE,
    checks: ['4.5/mp3', '4.5/not-json', '4.5/every-answer'],
  },
  {
    id: '4.5/frames',
    section: '4.5',
    level: 'stated',
    quote: RESPONSE,
    checks: ['4.5/mp3-frames'],
  },
  { id: '4.5/duration', section: '4.5', level: 'silent', quote: RESPONSE, checks: ['4.5/duration'] },
  { id: '4.5/media-type', section: '4.5', level: 'convention', quote: RESPONSE, checks: ['4.5/media-type'] },
  {
    id: '4.5/client-requests',
    section: '4.5',
    level: 'convention',
    quote: RESPONSE,
    checks: ['4.5/accept-octet-stream'],
  },
  {
    id: '4.5/voices',
    section: '4.5',
    level: 'silent',
    quote: 'The list of valid voice IDs: not shown.',
    checks: ['4.5/voice-other', '4.5/voice-unknown'],
  },
] as const satisfies readonly Requirement[]
