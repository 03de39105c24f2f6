import { defineChoiceOption, defineIntegerOption } from './option-row.ts'

const REJECTED = '400'
const IGNORED = 'the field has no effect'

/**
 * Options for request fields that common clients send, but the specification does not define. The request log lists
 * ignored fields.
 */
export const FIELD_OPTIONS = {
  'max-completion-tokens': defineChoiceOption(
    'max_completion_tokens of a chat',
    'served',
    { served: 'like max_tokens; the smaller of both counts', ignored: IGNORED, refused: REJECTED },
    'new client SDKs send it instead of max_tokens',
  ),
  'chat-n': defineChoiceOption(
    'n of a chat',
    'served',
    { served: 'n choices, at most most-n; all are charged', ignored: 'one choice', refused: REJECTED },
    'clients read choices[1]',
  ),
  stop: defineChoiceOption(
    'stop of a chat: a text or a list of texts',
    'served',
    { served: 'the text ends before the first of them', ignored: IGNORED, refused: REJECTED },
    'clients rely on the end of the text',
  ),
  'seed-field': defineChoiceOption(
    'seed of a chat',
    'served',
    { served: 'identical requests with a seed get the same message', ignored: IGNORED, refused: REJECTED },
    'clients send it to get the same message again',
  ),
  logprobs: defineChoiceOption(
    'logprobs and top_logprobs of a chat',
    'ignored',
    { ignored: 'the fields have no effect', refused: REJECTED },
    'generated text has no probabilities',
  ),
  tools: defineChoiceOption(
    'tools, tool_choice and parallel_tool_calls of a chat',
    'served',
    {
      served: 'tool_choice required or a named function yields a call whose arguments conform to its JSON Schema',
      ignored: 'the fields have no effect',
      refused: REJECTED,
    },
    'agents depend on them',
  ),
  'auto-tool-calls': defineIntegerOption(
    'the frequency of tool calls with tool_choice auto, in percent of the requests whose last message is not a tool result',
    0,
    [0, 100],
    'whether a model calls a tool is unspecified; fixtures determine it',
  ),
  'tool-tokens': defineChoiceOption(
    'the price of tool definitions, response schemas and earlier tool calls (8)',
    'counted',
    { counted: 'their JSON counts as part of the prompt', free: 'they count no tokens' },
    'common services count them',
  ),
  'response-format': defineChoiceOption(
    'response_format of a chat',
    'served',
    {
      served: 'json_schema yields JSON that conforms to the schema, json_object any JSON object',
      ignored: IGNORED,
      refused: REJECTED,
    },
    'clients parse the text as JSON',
  ),
  'image-format': defineChoiceOption(
    'response_format of an image request',
    'served',
    { served: 'url or b64_json; others 400', ignored: IGNORED, refused: REJECTED },
    'clients read data[0].b64_json',
  ),
  'transcription-format': defineChoiceOption(
    'response_format and timestamp_granularities of a transcription',
    'served',
    { served: 'json, text, srt, vtt or verbose_json; others 400', ignored: IGNORED, refused: REJECTED },
    'clients parse the requested format',
  ),
  'speech-format': defineChoiceOption(
    'response_format of speech',
    'served',
    { served: 'mp3, wav or pcm; others 400', ignored: 'always MP3', refused: REJECTED },
    'players open the requested format',
  ),
  'speech-speed': defineChoiceOption(
    'speed of speech',
    'served',
    { served: 'from 0.25 to 4; the file is shorter or longer', ignored: IGNORED, refused: REJECTED },
    'clients rely on the duration',
  ),
  'image-tokens': defineChoiceOption(
    'the tokens of an image in a prompt (4.2, 8)',
    'tiles',
    {
      tiles:
        '85 for detail low; otherwise 85, and 170 for each tile of 512 pixels of the image, scaled down to 2048 pixels and its shorter side to 768; a URL counts as 1024x1024',
      fixed: '85 for each image',
      text: 'the tokens of its URL as text, including base64 data',
    },
    'common services count in this way',
  ),
  'ignored-fields-header': defineChoiceOption(
    'a response header that lists the request fields without effect',
    'none',
    { none: 'not sent; the request log lists the fields', sent: 'x-touchstone-ignored-fields' },
    'services send no such header',
  ),
} as const
