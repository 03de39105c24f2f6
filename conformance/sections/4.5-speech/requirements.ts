import { convention, stated, unspecified } from '../../engine/requirement.ts'

const RESPONSE = 'Response: binary audio in MP3 format, not JSON.'

export const speechRequirements = [
  stated(
    '4.5/endpoint',
    'POST {base_url}/v1/audio/speech',
    'used by each request of the section; 1/speech-offered requires nothing else',
  ),
  stated('4.5/purpose', 'Purpose: synthesize speech from text.', 'a heading; 1/speech-offered checks it'),
  stated('4.5/model', '| model | string | yes | Model ID |'),
  stated('4.5/input', '| input | string | yes | Text to convert |'),
  unspecified('4.5/input-empty', '| input | string | yes | Text to convert |'),
  unspecified('4.5/input-bytes', '| input | string | yes | Text to convert |'),
  stated('4.5/voice', '| voice | string | no | Voice ID; default "alloy" |'),
  stated('4.5/response', RESPONSE),
  stated('4.5/frames', RESPONSE),
  unspecified('4.5/duration', RESPONSE),
  convention('4.5/media-type', RESPONSE),
  convention('4.5/client-requests', RESPONSE),
  unspecified('4.5/voices', 'The list of valid voice IDs: not shown.'),
]
