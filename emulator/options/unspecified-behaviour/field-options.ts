import { defineChoiceOption, defineIntegerOption } from './option-row.ts'

const REJECTED = '400'
const IGNORED = 'the field has no effect'

/**
 * Options for request fields that common clients send, but the specification does not define. The request log lists
 * ignored fields.
 */
export const FIELD_OPTIONS = {
  'max-completion-tokens': defineChoiceOption(
    'the field max_completion_tokens of a chat request',
    'served',
    {
      served: 'the field limits the completion as max_tokens does; the smaller value applies',
      ignored: IGNORED,
      refused: REJECTED,
    },
    'New client SDKs send this field instead of max_tokens.',
  ),
  'scripted-length': defineChoiceOption(
    'the length of a fixture or a recording if the chat request has no max_tokens (4.2, 8)',
    'whole',
    {
      whole: 'the response is complete, and the emulator holds and charges all of its tokens',
      limited: 'max_tokens has its default of 256, which truncates the text and the tool calls of a fixture',
    },
    'The author of the fixture chose the text. The default applies to generated text.',
  ),
  'chat-n': defineChoiceOption(
    'the field n of a chat request',
    'served',
    {
      served: 'the response has n choices, and the account pays for all of them; the option most-n limits n',
      ignored: 'the response has one choice',
      refused: REJECTED,
    },
    'Some clients read choices[1].',
  ),
  stop: defineChoiceOption(
    'the field stop of a chat request, a string or a list of strings',
    'served',
    { served: 'the response ends before the first stop sequence', ignored: IGNORED, refused: REJECTED },
    'Some clients expect that the response does not contain the stop sequence.',
  ),
  'seed-field': defineChoiceOption(
    'the field seed of a chat request',
    'served',
    { served: 'identical requests with the same seed get the same message', ignored: IGNORED, refused: REJECTED },
    'Clients send a seed to get the same message again.',
  ),
  logprobs: defineChoiceOption(
    'the fields logprobs and top_logprobs of a chat request',
    'served',
    {
      served: 'each choice has generated log probabilities of the tokens of its text',
      ignored: 'the fields have no effect',
      refused: REJECTED,
    },
    'Some clients read choices[0].logprobs.',
  ),
  tools: defineChoiceOption(
    'the fields tools, tool_choice and parallel_tool_calls of a chat request, and the earlier forms functions and function_call',
    'served',
    {
      served:
        'if tool_choice is required or a named function, the response calls a tool with arguments that conform to its JSON Schema',
      ignored: 'the fields have no effect',
      refused: REJECTED,
    },
    'Agents depend on tool calls.',
  ),
  'auto-tool-calls': defineIntegerOption(
    'the frequency of tool calls with tool_choice auto, in percent of the requests whose last message is not a tool result',
    0,
    [0, 100],
    'With this default, only fixtures determine whether a response calls a tool.',
  ),
  'tool-tokens': defineChoiceOption(
    'the price of tool definitions, response schemas and earlier tool calls (8)',
    'counted',
    { counted: 'the JSON of these parts counts as part of the prompt', free: 'these parts cost nothing' },
    'Common services count the tokens of these parts.',
  ),
  'response-format': defineChoiceOption(
    'the field response_format of a chat request',
    'served',
    {
      served:
        'for json_schema, the response is JSON that conforms to the schema; for json_object, it is any JSON object',
      ignored: IGNORED,
      refused: REJECTED,
    },
    'Clients parse the text as JSON.',
  ),
  'image-format': defineChoiceOption(
    'the field response_format of an image request',
    'served',
    { served: 'url or b64_json; 400 for other values', ignored: IGNORED, refused: REJECTED },
    'Some clients read data[0].b64_json.',
  ),
  'transcription-format': defineChoiceOption(
    'the fields response_format and timestamp_granularities of a transcription',
    'served',
    { served: 'json, text, srt, vtt or verbose_json; 400 for other values', ignored: IGNORED, refused: REJECTED },
    'Clients parse the format that they request.',
  ),
  'speech-format': defineChoiceOption(
    'the field response_format of a speech request',
    'served',
    { served: 'mp3, wav or pcm; 400 for other values', ignored: 'the response is always MP3', refused: REJECTED },
    'Players need the format that the client requests.',
  ),
  'speech-speed': defineChoiceOption(
    'the field speed of a speech request',
    'served',
    { served: 'a number from 0.25 to 4 changes the duration of the speech', ignored: IGNORED, refused: REJECTED },
    'Some clients check the duration of the speech.',
  ),
  'image-tokens': defineChoiceOption(
    'the tokens of an image in a prompt (4.2, 8)',
    'tiles',
    {
      tiles:
        '85 tokens for each image, and 170 more for each tile of 512 pixels if detail is not low. The emulator first scales the image down to 2048 pixels, and its shorter side to 768. An image with a remote URL counts as 1024x1024',
      fixed: '85 tokens for each image',
      text: 'the tokens of its URL, counted as text, including base64 data',
    },
    'Common services count image tokens in this way.',
  ),
  'ignored-fields-header': defineChoiceOption(
    'a response header that lists the request fields that have no effect',
    'none',
    { none: 'no header; the request log lists the fields', sent: 'x-touchstone-ignored-fields' },
    'Common services do not send this header.',
  ),
} as const
