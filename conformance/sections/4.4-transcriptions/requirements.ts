import type { RequirementRow } from '../../engine/requirement.ts'

export const transcriptionRequirements = [
  {
    id: '4.4/endpoint',
    level: 'stated',
    quote: 'POST {base_url}/v1/audio/transcriptions',
    excluded: 'used by each request of the section; 1/transcriptions-offered requires nothing else',
  },
  {
    id: '4.4/purpose',
    level: 'stated',
    quote: 'Purpose: transcribe audio to text.',
    excluded: 'a heading; 1/transcriptions-offered checks it',
  },
  { id: '4.4/form', level: 'stated', quote: 'Request body (multipart form):' },
  { id: '4.4/other-body', level: 'unspecified', quote: 'Request body (multipart form):' },
  { id: '4.4/form-without-fields', level: 'stated', quote: '| file | file | yes | Audio file |' },
  { id: '4.4/model', level: 'stated', quote: '| model | string | yes | Model ID |' },
  { id: '4.4/file', level: 'stated', quote: '| file | file | yes | Audio file |' },
  { id: '4.4/language', level: 'stated', quote: '| language | string | no | Language code |' },
  { id: '4.4/response', level: 'stated', quote: 'Response: a transcription result (2.5).' },
  {
    id: '4.4/formats',
    level: 'unspecified',
    quote: 'Accepted audio formats and the language code format beyond "a language code": not shown.',
  },
] as const satisfies readonly RequirementRow[]
