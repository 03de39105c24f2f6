import { stated, unspecified } from '../../engine/requirement.ts'

export const chatRequirements = [
  stated(
    '4.2/endpoint',
    'POST {base_url}/v1/chat/completions',
    'used by each request of the section; 1/chat-offered requires nothing else',
  ),
  stated('4.2/purpose', 'Purpose: create a chat completion.', 'a heading; 1/chat-offered checks it'),
  stated('4.2/streaming-and-vision', 'Streaming, vision and multi-modal input are supported.'),
  stated('4.2/model', '| model | string | yes | Model ID |'),
  stated('4.2/messages', '| messages | array | yes | Message objects |'),
  unspecified('4.2/messages-open', '| messages | array | yes | Message objects |'),
  stated('4.2/max-tokens', '| max_tokens | integer | no | Maximum tokens; default 256 |'),
  unspecified('4.2/max-tokens-lower-bound', '| max_tokens | integer | no | Maximum tokens; default 256 |'),
  stated('4.2/temperature', '| temperature | number | no |'),
  stated('4.2/temperature-range', 'Sampling temperature, 0 to 2; default 1.0'),
  stated('4.2/stream', '| stream | boolean | no | Enables server-sent-event streaming; default false |'),
  unspecified('4.2/json-forms', 'Request body (JSON):'),
  stated('4.2/answer-without-stream', 'Response when stream is false: a chat completion object (2.3).'),
  unspecified('4.2/quality-parameter', 'The request parameter that selects a quality mode (2.2): not shown.'),
  unspecified('4.2/content-structure', 'The structure of message content for vision and multi-modal input: not shown.'),
]
