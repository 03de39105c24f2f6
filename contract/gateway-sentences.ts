/** A numbered sentence of gateway.md. Its number is its place in the list: `G1` is the first one. */
interface GatewaySentence {
  readonly id: `gateway/${string}`
  /** `stated` for sentences about integrity, `unspecified` for policies. */
  readonly level: 'stated' | 'convention' | 'unspecified'
  readonly quote: string
}

/** Sentences of gateway.md, in the order of the document. */
export const GATEWAY_SENTENCES = [
  {
    id: 'gateway/text',
    level: 'stated',
    quote:
      'The text of a response equals the text that the upstream sent, character by character, whether it is streamed or not. The gateway may divide the text into other events.',
  },
  {
    id: 'gateway/tool-calls',
    level: 'stated',
    quote:
      'The client gets the tool calls that the upstream sent, and no others: in the same order, with the same names and the same arguments, and each with an ID of its own.',
  },
  {
    id: 'gateway/finish-reason',
    level: 'stated',
    quote:
      'If the upstream sends stop, length, tool_calls or content_filter as finish_reason, the client gets the same value.',
  },
  {
    id: 'gateway/usage',
    level: 'stated',
    quote:
      'If the upstream reports the usage of a response, the client gets the same prompt_tokens, completion_tokens and total_tokens: nothing is lost, and nothing is added up twice. In a stream, this applies if the client asks for usage: the gateway then asks the upstream for it, or counts it itself.',
  },
  {
    id: 'gateway/media',
    level: 'stated',
    quote:
      'Audio reaches the client byte for byte as the upstream sent it, and a transcription has the text that the upstream sent.',
  },
  {
    id: 'gateway/upload',
    level: 'stated',
    quote:
      'An uploaded file reaches the upstream byte for byte, as the same kind of media, such as audio, and with the extension of its file name.',
  },
  {
    id: 'gateway/messages',
    level: 'stated',
    quote:
      'The messages of a request reach the upstream unchanged and in order: their roles, their texts in every script, empty texts, tool calls and tool results.',
  },
  {
    id: 'gateway/parameters',
    level: 'stated',
    quote:
      'Each documented parameter that the client sends, and each tool, reaches the upstream with the same value, even if it is 0, false or empty. The gateway may rename the model, choose whether the upstream streams, and omit a value that is the default.',
  },
  {
    id: 'gateway/error-status',
    level: 'stated',
    quote:
      'If the upstream returns an error, and no retry or fallback succeeds, the client gets a status of at least 400, an error event or an aborted connection. It never gets a result that looks complete.',
  },
  {
    id: 'gateway/lost-response',
    level: 'stated',
    quote:
      'If the upstream does not complete a response, and no retry or fallback does, the client gets a status of at least 400, an error event or an aborted connection. It never gets a response that HTTP, a finish_reason or [DONE] marks as complete.',
  },
  {
    id: 'gateway/isolation',
    level: 'stated',
    quote:
      'The text, IDs, usage and errors of one request never appear in the response to a request with other content.',
  },
  {
    id: 'gateway/once',
    level: 'stated',
    quote:
      'If the first response of the upstream is not an error and reaches the client in full, the gateway sends the request only once.',
  },
  {
    id: 'gateway/cut-not-repeated',
    level: 'stated',
    quote: 'A response that was cut is never used to serve a later request, nor joined with the response of a retry.',
  },
  {
    id: 'gateway/upstream-key',
    level: 'stated',
    quote:
      'A key of the upstream that the client did not send never reaches the client, neither in a body nor in a header field.',
  },
  {
    id: 'gateway/after-aborts',
    level: 'stated',
    quote:
      'When clients abort requests, and when responses of the upstream fail, the gateway still serves the requests of others, and the next valid request that its rate limits and its cool-down allow.',
  },
  {
    id: 'gateway/upstream-address',
    level: 'convention',
    quote: 'The address of the upstream does not reach the client, except in the URL of a generated image.',
  },
  {
    id: 'gateway/abort',
    level: 'convention',
    quote: 'If the client disconnects, the gateway aborts its request to the upstream.',
  },
  {
    id: 'gateway/pace',
    level: 'convention',
    quote:
      'The gateway forwards each event of a stream when it arrives: the client gets the first event before the upstream sends the second.',
  },
  {
    id: 'gateway/error-message',
    level: 'convention',
    quote: 'If the upstream returns an error, the error response of the gateway is complete, and its body is JSON.',
  },
  {
    id: 'gateway/retries',
    level: 'unspecified',
    quote: 'The gateway decides whether it repeats a failed request, after which failures, and how often.',
  },
  {
    id: 'gateway/statuses',
    level: 'unspecified',
    quote: 'The gateway decides which error status the client gets for each error status of the upstream.',
  },
  {
    id: 'gateway/retry-after',
    level: 'unspecified',
    quote: 'The gateway decides whether the client gets the Retry-After of the upstream.',
  },
  {
    id: 'gateway/cool-down',
    level: 'unspecified',
    quote: 'The gateway decides whether it rejects requests after failures of the upstream, and for how long.',
  },
  {
    id: 'gateway/cache',
    level: 'unspecified',
    quote: 'The gateway decides whether it serves an identical request from a cache, without the upstream.',
  },
  {
    id: 'gateway/event-form',
    level: 'unspecified',
    quote:
      'The gateway decides how it divides a stream into events, and whether comments, id lines and fields beyond the specification, such as reasoning_content, reach the client.',
  },
  {
    id: 'gateway/heartbeats',
    level: 'unspecified',
    quote: 'The gateway decides whether heartbeats of the upstream reach the client during a silence.',
  },
  {
    id: 'gateway/unknown-parameters',
    level: 'unspecified',
    quote: 'The gateway decides what happens to unknown parameters, to null, and to 1.0 for an integer.',
  },
  {
    id: 'gateway/headers',
    level: 'unspecified',
    quote:
      'The gateway decides which header fields it forwards in each direction, and whether the key of the client reaches the upstream.',
  },
  {
    id: 'gateway/image-url',
    level: 'unspecified',
    quote: 'The gateway decides whether the URL of a generated image points to itself, and whether it serves this URL.',
  },
  {
    id: 'gateway/usage-form',
    level: 'unspecified',
    quote:
      'The gateway decides whether and where a stream reports usage, and whether usage has the details of cached and reasoning tokens.',
  },
  {
    id: 'gateway/file-name',
    level: 'unspecified',
    quote: 'The gateway decides which name an uploaded file has at the upstream, apart from the extension.',
  },
] as const satisfies readonly GatewaySentence[]
