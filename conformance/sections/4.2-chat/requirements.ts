import type { Requirement } from '../../engine/requirement.ts'

export const chatRequirements = [
  {
    id: '4.2/endpoint',
    section: '4.2',
    level: 'stated',
    quote: 'POST {base_url}/v1/chat/completions',
    excluded: 'used by each request of the section; 1/chat-offered requires nothing else',
  },
  {
    id: '4.2/purpose',
    section: '4.2',
    level: 'stated',
    quote: 'Purpose: create a chat completion.',
    excluded: 'a heading; 1/chat-offered checks it',
  },
  {
    id: '4.2/streaming-and-vision',
    section: '4.2',
    level: 'stated',
    quote: 'Streaming, vision and multi-modal input are supported.',
  },
  {
    id: '4.2/model',
    section: '4.2',
    level: 'stated',
    quote: '| model | string | yes | Model ID |',
  },
  {
    id: '4.2/messages',
    section: '4.2',
    level: 'stated',
    quote: '| messages | array | yes | Message objects |',
  },
  {
    id: '4.2/messages-open',
    section: '4.2',
    level: 'unspecified',
    quote: '| messages | array | yes | Message objects |',
  },
  {
    id: '4.2/max-tokens',
    section: '4.2',
    level: 'stated',
    quote: '| max_tokens | integer | no | Maximum tokens; default 256 |',
  },
  {
    id: '4.2/max-tokens-lower-bound',
    section: '4.2',
    level: 'unspecified',
    quote: '| max_tokens | integer | no | Maximum tokens; default 256 |',
  },
  {
    id: '4.2/temperature',
    section: '4.2',
    level: 'stated',
    quote: '| temperature | number | no |',
  },
  {
    id: '4.2/temperature-range',
    section: '4.2',
    level: 'stated',
    quote: 'Sampling temperature, 0 to 2; default 1.0',
  },
  {
    id: '4.2/stream',
    section: '4.2',
    level: 'stated',
    quote: '| stream | boolean | no | Enables server-sent-event streaming; default false |',
  },
  {
    id: '4.2/json-forms',
    section: '4.2',
    level: 'unspecified',
    quote: 'Request body (JSON):',
  },
  {
    id: '4.2/answer-without-stream',
    section: '4.2',
    level: 'stated',
    quote: 'Response when stream is false: a chat completion object (2.3).',
  },
  {
    id: '4.2/quality-parameter',
    section: '4.2',
    level: 'unspecified',
    quote: 'The request parameter that selects a quality mode (2.2): not shown.',
  },
  {
    id: '4.2/content-structure',
    section: '4.2',
    level: 'unspecified',
    quote: 'The structure of message content for vision and multi-modal input: not shown.',
  },
] as const satisfies readonly Requirement[]
