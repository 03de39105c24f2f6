import type { RequirementRow } from '../../engine/requirement.ts'

export const chatRequirements = [
  {
    id: '4.2/endpoint',
    level: 'stated',
    quote: 'POST {base_url}/v1/chat/completions',
    excluded: 'used by each request of the section; 1/chat-offered requires nothing else',
  },
  {
    id: '4.2/purpose',
    level: 'stated',
    quote: 'Purpose: create a chat completion.',
    excluded: 'a heading; 1/chat-offered checks it',
  },
  { id: '4.2/streaming-and-vision', level: 'stated', quote: 'Streaming, vision and multi-modal input are supported.' },
  { id: '4.2/model', level: 'stated', quote: '| model | string | yes | Model ID |' },
  { id: '4.2/messages', level: 'stated', quote: '| messages | array | yes | Message objects |' },
  { id: '4.2/messages-open', level: 'unspecified', quote: '| messages | array | yes | Message objects |' },
  { id: '4.2/max-tokens', level: 'stated', quote: '| max_tokens | integer | no | Maximum tokens; default 256 |' },
  {
    id: '4.2/max-tokens-lower-bound',
    level: 'unspecified',
    quote: '| max_tokens | integer | no | Maximum tokens; default 256 |',
  },
  { id: '4.2/temperature', level: 'stated', quote: '| temperature | number | no |' },
  { id: '4.2/temperature-range', level: 'stated', quote: 'Sampling temperature, 0 to 2; default 1.0' },
  {
    id: '4.2/stream',
    level: 'stated',
    quote: '| stream | boolean | no | Enables server-sent-event streaming; default false |',
  },
  { id: '4.2/json-forms', level: 'unspecified', quote: 'Request body (JSON):' },
  {
    id: '4.2/answer-without-stream',
    level: 'stated',
    quote: 'Response when stream is false: a chat completion object (2.3).',
  },
  {
    id: '4.2/quality-parameter',
    level: 'unspecified',
    quote: 'The request parameter that selects a quality mode (2.2): not shown.',
  },
  {
    id: '4.2/content-structure',
    level: 'unspecified',
    quote: 'The structure of message content for vision and multi-modal input: not shown.',
  },
] as const satisfies readonly RequirementRow[]
