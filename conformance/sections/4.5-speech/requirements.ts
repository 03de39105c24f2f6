import type { RequirementRow } from '../../engine/requirement.ts'

const RESPONSE = 'Response: binary audio in MP3 format, not JSON.'

export const speechRequirements = [
  {
    id: '4.5/endpoint',
    level: 'stated',
    quote: 'POST {base_url}/v1/audio/speech',
    excluded: 'used by each request of the section; 1/speech-offered requires nothing else',
  },
  {
    id: '4.5/purpose',
    level: 'stated',
    quote: 'Purpose: synthesize speech from text.',
    excluded: 'a heading; 1/speech-offered checks it',
  },
  { id: '4.5/model', level: 'stated', quote: '| model | string | yes | Model ID |' },
  { id: '4.5/input', level: 'stated', quote: '| input | string | yes | Text to convert |' },
  { id: '4.5/input-empty', level: 'unspecified', quote: '| input | string | yes | Text to convert |' },
  { id: '4.5/input-bytes', level: 'unspecified', quote: '| input | string | yes | Text to convert |' },
  { id: '4.5/voice', level: 'stated', quote: '| voice | string | no | Voice ID; default "alloy" |' },
  { id: '4.5/response', level: 'stated', quote: RESPONSE },
  { id: '4.5/frames', level: 'stated', quote: RESPONSE },
  { id: '4.5/duration', level: 'unspecified', quote: RESPONSE },
  { id: '4.5/media-type', level: 'convention', quote: RESPONSE },
  { id: '4.5/client-requests', level: 'convention', quote: RESPONSE },
  { id: '4.5/voices', level: 'unspecified', quote: 'The list of valid voice IDs: not shown.' },
] as const satisfies readonly RequirementRow[]
