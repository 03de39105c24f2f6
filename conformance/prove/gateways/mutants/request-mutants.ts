import { changeForm, changeParameters, isJsonRequest, type RequestMessage } from '../change-messages.ts'
import { isPresent, parseObject } from '../completion.ts'
import { bufferRequest, createErrorResponse, type Middleware, replaceBody } from '../gateway-message.ts'
import type { GatewayFault } from '../gateway-mutant.ts'

const ROLE_ORDER = ['system', 'developer', 'user', 'assistant', 'tool']

export const REQUEST_MUTANTS: readonly GatewayFault[] = [
  {
    id: 'gateway/upload-as-text',
    breaks: 'an uploaded file is decoded as UTF-8',
    kills: ['gateway/upload'],
    middleware: changeForm((form) => Buffer.from(Buffer.from(form, 'latin1').toString('utf8'))),
  },
  {
    id: 'gateway/upload-renamed',
    breaks: 'an uploaded file gets another name, without an extension',
    kills: ['gateway/upload', 'gateway/file-name'],
    middleware: changeForm((form) => form.replace(/filename\*?=(?:"[^"]*"|[^;\r\n]+)/, 'filename="upload"')),
  },
  {
    id: 'gateway/upload-media-type-lost',
    breaks: 'the media type of an uploaded file is application/octet-stream',
    kills: ['gateway/upload'],
    middleware: changeForm((form) => form.replace(/(\r\ncontent-type: ?)[^\r\n]+/i, '$1application/octet-stream')),
  },
  {
    id: 'gateway/system-message-merged',
    breaks: 'the system message becomes a part of the user message',
    kills: ['gateway/messages'],
    middleware: changeMessages(mergeSystemMessage),
  },
  {
    id: 'gateway/messages-sorted',
    breaks: 'messages are sorted by role',
    kills: ['gateway/messages'],
    middleware: changeMessages((messages) =>
      messages.toSorted((left, right) => ROLE_ORDER.indexOf(left.role) - ROLE_ORDER.indexOf(right.role)),
    ),
  },
  {
    id: 'gateway/empty-messages-dropped',
    breaks: 'messages with an empty text are dropped',
    kills: ['gateway/messages'],
    middleware: changeMessages((messages) => messages.filter(({ content }) => content !== '')),
  },
  {
    id: 'gateway/messages-as-ascii',
    breaks: 'characters of messages outside ASCII become question marks',
    kills: ['gateway/messages'],
    middleware: changeMessages((messages) =>
      messages.map((message) =>
        typeof message.content === 'string'
          ? { ...message, content: message.content.replace(/[^\0-\x7f]/gu, '?') }
          : message,
      ),
    ),
  },
  {
    id: 'gateway/tool-results-as-user-messages',
    breaks: 'tool results become user messages, and the tool calls are dropped',
    kills: ['gateway/messages'],
    middleware: changeMessages((messages) => messages.map(dropToolFields)),
  },
  {
    id: 'gateway/zero-dropped',
    breaks: 'parameters with the value 0 are dropped',
    kills: ['gateway/parameters'],
    middleware: dropParameters((value) => value === 0),
  },
  {
    id: 'gateway/max-tokens-lowered',
    breaks: 'max_tokens is one less',
    kills: ['gateway/parameters'],
    mayAffect: ['gateway/unknown-parameters'],
    middleware: changeParameters((parameters) => {
      const { max_tokens: bound } = parameters
      if (typeof bound === 'number' && bound > 1) parameters['max_tokens'] = bound - 1
    }),
  },
  {
    id: 'gateway/image-size-dropped',
    breaks: 'the size of an image is dropped',
    kills: ['gateway/image-parameters'],
    middleware: dropParameters((_value, name) => name === 'size'),
  },
  {
    id: 'gateway/voice-replaced',
    breaks: 'every voice is replaced by alloy',
    kills: ['gateway/speech-parameters'],
    middleware: changeParameters((parameters) => {
      if ('voice' in parameters) parameters['voice'] = 'alloy'
    }),
  },
  {
    id: 'gateway/language-dropped',
    breaks: 'the language of a transcription is dropped',
    kills: ['gateway/transcription-parameters'],
    middleware: changeForm((form) =>
      form.replace(
        /--[^\r\n]+\r\n(?:[^\r\n]+\r\n)*[^\r\n]*\bname="language"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n[^\r\n]*\r\n/,
        '',
      ),
    ),
  },
  {
    id: 'gateway/tools-dropped',
    breaks: 'tool definitions are dropped',
    kills: ['gateway/tools'],
    middleware: dropParameters((_value, name) => name === 'tools' || name === 'tool_choice'),
  },
  {
    id: 'gateway/tool-schemas-reduced',
    breaks: 'the parameters of tool definitions lose every keyword except type and properties',
    kills: ['gateway/tools'],
    middleware: changeParameters(({ tools }) => {
      for (const tool of Array.isArray(tools) ? tools : []) {
        const schema = tool?.function?.parameters
        if (isPresent(schema)) tool.function.parameters = { type: schema.type, properties: schema.properties }
      }
    }),
  },
  {
    id: 'gateway/empty-lists-as-objects',
    breaks: 'JSON is parsed by a language without lists, so an empty list becomes an empty object',
    kills: ['gateway/tools'],
    middleware: changeValues((value) => (Array.isArray(value) && value.length === 0 ? {} : value)),
  },
  {
    id: 'gateway/large-integers-rounded',
    breaks: 'numbers are written with 14 digits',
    kills: ['gateway/tools'],
    middleware: changeValues((value) => (typeof value === 'number' ? Number(value.toPrecision(14)) : value)),
  },
  {
    id: 'gateway/stream-options-dropped',
    breaks: 'stream_options are dropped, so that no stream reports the usage that the client asks for',
    kills: ['gateway/stream-usage'],
    mayAffect: ['gateway/usage-form'],
    middleware: dropParameters((_value, name) => name === 'stream_options'),
  },
  {
    id: 'gateway/unknown-parameters-rejected',
    breaks: 'nothing: a request with an unknown parameter is rejected with 400',
    kills: ['gateway/unknown-parameters'],
    createMiddleware: () => rejectUnknownParameters,
  },
  {
    id: 'gateway/null-dropped',
    breaks: 'nothing: parameters with the value null are dropped',
    kills: ['gateway/unknown-parameters'],
    middleware: dropParameters((value) => value === null),
  },
  {
    id: 'gateway/unknown-parameters-dropped',
    breaks: 'nothing: unknown parameters are dropped',
    kills: ['gateway/unknown-parameters'],
    middleware: dropParameters((_value, name) => !KNOWN_PARAMETERS.has(name)),
  },
  {
    id: 'gateway/json-written-anew',
    breaks: 'nothing: JSON bodies of requests are parsed and written anew, so 1.0 becomes 1',
    kills: ['gateway/unknown-parameters'],
    createMiddleware: () => writeJsonAnew,
  },
]

/** Parameters of the specification, and those that all common services accept. */
const KNOWN_PARAMETERS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'stop',
  'seed',
  'n',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'logprobs',
  'top_logprobs',
  'prompt',
  'size',
  'input',
  'voice',
  'speed',
])

/** Changes each value of the JSON of a request, the innermost ones first. */
function changeValues(change: (value: unknown) => unknown): Middleware {
  return changeParameters((parameters) => {
    Object.assign(
      parameters,
      JSON.parse(JSON.stringify(parameters), (_name, value: unknown) => change(value)),
    )
  })
}

function changeMessages(change: (messages: RequestMessage[]) => RequestMessage[]): Middleware {
  return changeParameters((parameters) => {
    if (Array.isArray(parameters.messages)) parameters.messages = change(parameters.messages)
  })
}

function mergeSystemMessage(messages: RequestMessage[]): RequestMessage[] {
  const system = messages.find(({ role }) => role === 'system')
  const user = messages.find(({ role, content }) => role === 'user' && typeof content === 'string')
  if (system === undefined || user === undefined) return messages
  const merged = { ...user, content: `${system.content}\n\n${user.content}` }
  return messages.filter((message) => message !== system).map((message) => (message === user ? merged : message))
}

function dropToolFields({ tool_calls: calls, tool_call_id: id, ...message }: RequestMessage): RequestMessage {
  if (message.role === 'tool') return { ...message, role: 'user' }
  return calls === undefined && id === undefined ? message : { ...message, content: message.content ?? '' }
}

function dropParameters(matches: (value: unknown, name: string) => boolean): Middleware {
  return changeParameters((parameters) => {
    for (const [name, value] of Object.entries(parameters)) if (matches(value, name)) delete parameters[name]
  })
}

const rejectUnknownParameters: Middleware = async (incoming, forward) => {
  const { request, bytes } = await bufferRequest(incoming)
  const parameters = isJsonRequest(request) ? (parseObject(bytes.toString()) ?? {}) : {}
  const unknown = Object.keys(parameters).find((name) => !KNOWN_PARAMETERS.has(name))
  return unknown === undefined ? await forward(request) : createErrorResponse(400, `Unknown parameter: ${unknown}`)
}

const writeJsonAnew: Middleware = async (incoming, forward) => {
  const { request, bytes } = await bufferRequest(incoming)
  const parameters = isJsonRequest(request) ? parseObject(bytes.toString()) : undefined
  return await forward(parameters === undefined ? request : replaceBody(request, JSON.stringify(parameters)))
}
