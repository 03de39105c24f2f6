import type { Requirement } from '../../engine/requirement.ts'

const RESPONSE = 'Response: binary audio in MP3 format, not JSON.'

export const speechRequirements = [
  {
    id: '4.5/endpoint',
    section: '4.5',
    level: 'stated',
    quote: 'POST {base_url}/v1/audio/speech',
    excluded: 'used by each request of the section; 1/speech-offered requires nothing else',
  },
  {
    id: '4.5/purpose',
    section: '4.5',
    level: 'stated',
    quote: 'Purpose: synthesize speech from text.',
    excluded: 'a heading; 1/speech-offered checks it',
  },
  {
    id: '4.5/model',
    section: '4.5',
    level: 'stated',
    quote: '| model | string | yes | Model ID |',
  },
  {
    id: '4.5/input',
    section: '4.5',
    level: 'stated',
    quote: '| input | string | yes | Text to convert |',
  },
  {
    id: '4.5/input-empty',
    section: '4.5',
    level: 'unspecified',
    quote: '| input | string | yes | Text to convert |',
  },
  {
    id: '4.5/input-bytes',
    section: '4.5',
    level: 'unspecified',
    quote: '| input | string | yes | Text to convert |',
  },
  {
    id: '4.5/voice',
    section: '4.5',
    level: 'stated',
    quote: '| voice | string | no | Voice ID; default "alloy" |',
  },
  {
    id: '4.5/response',
    section: '4.5',
    level: 'stated',
    quote: RESPONSE,
  },
  {
    id: '4.5/frames',
    section: '4.5',
    level: 'stated',
    quote: RESPONSE,
  },
  { id: '4.5/duration', section: '4.5', level: 'unspecified', quote: RESPONSE },
  { id: '4.5/media-type', section: '4.5', level: 'convention', quote: RESPONSE },
  {
    id: '4.5/client-requests',
    section: '4.5',
    level: 'convention',
    quote: RESPONSE,
  },
  {
    id: '4.5/voices',
    section: '4.5',
    level: 'unspecified',
    quote: 'The list of valid voice IDs: not shown.',
  },
] as const satisfies readonly Requirement[]
