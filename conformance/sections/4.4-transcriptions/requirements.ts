import { stated, unspecified } from '../../engine/requirement.ts'

export const transcriptionRequirements = [
  stated('2.5/text', '| text | string |'),
  stated(
    '4.4/endpoint',
    'POST {base_url}/v1/audio/transcriptions',
    'used by each request of the section; 1/transcriptions-offered requires nothing else',
  ),
  stated('4.4/purpose', 'Purpose: transcribe audio to text.', 'a heading; 1/transcriptions-offered checks it'),
  stated('4.4/form', 'Request body (multipart form):'),
  unspecified('4.4/other-body', 'Request body (multipart form):'),
  stated('4.4/form-without-fields', '| file | file | yes | Audio file |'),
  stated('4.4/model', '| model | string | yes | Model ID |'),
  stated('4.4/file', '| file | file | yes | Audio file |'),
  stated('4.4/language', '| language | string | no | Language code |'),
  stated('4.4/response', 'Response: a transcription result (2.5).'),
  unspecified(
    '4.4/formats',
    'Accepted audio formats and the language code format beyond "a language code": not shown.',
  ),
]
