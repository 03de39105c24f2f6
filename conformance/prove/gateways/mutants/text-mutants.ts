import { gzipSync } from 'node:zlib'
import { isPresent, type Completion } from '../completion.ts'
import {
  changeBodies,
  changeChunks,
  changeCompletions,
  changeEvents,
  dropEvents,
  changeWrites,
  isCompletion,
} from '../change-messages.ts'
import { acceptsGzip, createBody, isChat, readBody } from '../gateway-message.ts'
import type { GatewayFault } from '../gateway-mutant.ts'

export const TEXT_MUTANTS: readonly GatewayFault[] = [
  {
    id: 'gateway/writes-decoded-alone',
    breaks: 'each write of a stream is decoded alone, so a character across two writes becomes U+FFFD',
    kills: ['gateway/stream-text'],
    mayAffect: ['gateway/stream-tool-calls'],
    middleware: changeWrites(async function* decodeEach(body) {
      for await (const bytes of body) yield Buffer.from(bytes.toString('utf8'))
    }),
  },
  {
    id: 'gateway/incomplete-lines-dropped',
    breaks: 'each write of a stream is parsed alone, so an event across two writes is lost',
    kills: ['gateway/stream-text'],
    mayAffect: ['gateway/stream-tool-calls', 'gateway/stream-finish-reason', 'gateway/stream-usage'],
    middleware: changeWrites(async function* parseEach(body) {
      for await (const bytes of body) {
        const text = bytes.toString('latin1')
        const isComplete = /^(?:data|id|event|retry|:)/.test(text) && /[\r\n]$/.test(text)
        if (isComplete) yield bytes
      }
    }),
  },
  {
    id: 'gateway/data-without-space-dropped',
    breaks: 'events of a stream whose data follows the colon without a space are dropped',
    kills: ['gateway/stream-text'],
    middleware: dropEvents(({ raw }) => /^data:[^ ]/m.test(raw.toString('latin1'))),
  },
  {
    id: 'gateway/comments-as-data',
    breaks: 'comments of a stream become the data of events',
    kills: ['gateway/stream-text'],
    mayAffect: ['gateway/event-form', 'gateway/heartbeats'],
    middleware: changeEvents(() => ({ raw }) => {
      const text = raw.toString('latin1').replace(/^:/, 'data: :')
      return [Buffer.from(text, 'latin1')]
    }),
  },
  {
    id: 'gateway/text-of-finish-chunk-dropped',
    breaks: 'the text of a chunk with a finish_reason is dropped',
    kills: ['gateway/stream-text'],
    middleware: changeChunks(() => ({ choices }) => {
      for (const choice of choices ?? []) if (isPresent(choice.finish_reason)) choice.delta = {}
    }),
  },
  {
    id: 'gateway/compressed-with-old-length',
    breaks: 'a completion is compressed, and keeps the Content-Length of the upstream',
    kills: ['gateway/compressed-text'],
    createMiddleware: () => async (request, forward) => {
      const response = await forward(request)
      if (!isCompletion(request, response) || !acceptsGzip(request)) return response
      const { bytes } = await readBody(response.body)
      const compressed = gzipSync(bytes).subarray(0, bytes.length)
      const headers = { ...response.headers, 'content-encoding': 'gzip', 'content-length': String(compressed.length) }
      return { ...response, headers, body: createBody(compressed.subarray(0, -8)) }
    },
  },
  {
    id: 'gateway/uncompressed-as-gzip',
    breaks: 'a response keeps Content-Encoding after the gateway has decompressed it',
    kills: ['gateway/compressed-text'],
    mayAffect: ['gateway/pace-compressed'],
    middleware: async (request, forward) => {
      const response = await forward(request)
      const encoding = isChat(request) && acceptsGzip(request) ? { 'content-encoding': 'gzip' } : {}
      return { ...response, headers: { ...response.headers, ...encoding } }
    },
  },
  {
    id: 'gateway/chunk-repeated',
    breaks: 'a chunk is sent twice when the rest of the next one is late',
    kills: ['gateway/stream-text'],
    middleware: changeWrites(async function* repeatOnce(body) {
      let repeated = ''
      let rest = ''
      for await (const bytes of body) {
        const text = rest + bytes.toString('latin1')
        const end = /(?:.*(?:\n\n|\r\r|\r\n\r\n))?/s.exec(text)?.[0].length ?? 0
        const last = /[^\r\n]*"content":"[^"][^\r\n]*[\r\n]+$/.exec(text.slice(0, end))?.[0]
        rest = text.slice(end)
        const isLate = repeated === '' && rest !== '' && last !== undefined
        if (isLate) repeated = last
        yield Buffer.from(text.slice(0, end) + (isLate ? repeated : ''), 'latin1')
      }
      if (rest !== '') yield Buffer.from(rest, 'latin1')
    }),
  },
  {
    id: 'gateway/completion-as-latin1',
    breaks: 'a completion is decoded as Latin-1',
    kills: ['gateway/completion-text'],
    mayAffect: ['gateway/compressed-text', 'gateway/completion-tool-calls'],
    middleware: changeBodies(isCompletion, (bytes) => bytes.toString('latin1')),
  },
  {
    id: 'gateway/long-completion-cut',
    breaks: 'a completion of more than 64 KB is cut',
    kills: ['gateway/completion-text'],
    middleware: changeBodies(isCompletion, (bytes) => bytes.subarray(0, 65_536)),
  },
  {
    id: 'gateway/completion-trimmed',
    breaks: 'white space at both ends of the text of a completion is lost',
    kills: ['gateway/completion-text'],
    mayAffect: ['gateway/compressed-text'],
    middleware: changeCompletions(({ choices }) => {
      for (const { message } of choices ?? [])
        if (typeof message?.content === 'string') message.content = message.content.trim()
    }),
  },
  {
    id: 'gateway/tool-calls-joined',
    breaks: 'the arguments of all tool calls of a stream are added to the first call',
    kills: ['gateway/stream-tool-calls'],
    middleware: changeChunks(() => ({ choices }) => {
      for (const call of callsOf(choices)) call.index = 0
    }),
  },
  {
    id: 'gateway/arguments-repeated',
    breaks: 'each chunk of a tool call has all arguments so far',
    kills: ['gateway/stream-tool-calls'],
    middleware: changeChunks(() => {
      const texts = new Map<number, string>()
      return ({ choices }) => {
        for (const { index = 0, function: called } of callsOf(choices)) {
          if (typeof called?.arguments !== 'string' || called.arguments === '') continue
          called.arguments = `${texts.get(index) ?? ''}${called.arguments}`
          texts.set(index, String(called.arguments))
        }
      }
    }),
  },
  {
    id: 'gateway/first-tool-call-only',
    breaks: 'a completion has only the first of several tool calls',
    kills: ['gateway/completion-tool-calls'],
    middleware: changeCompletions(({ choices }) => {
      for (const { message } of choices ?? []) message?.tool_calls?.splice(1)
    }),
  },
  {
    id: 'gateway/same-id-for-all-calls',
    breaks: 'all tool calls of a stream have the same ID',
    kills: ['gateway/stream-tool-calls'],
    middleware: changeChunks(() => ({ choices }) => {
      for (const call of callsOf(choices)) if (call.id !== undefined) call.id = 'call_0'
    }),
  },
  {
    id: 'gateway/call-ids-dropped',
    breaks: 'the tool calls of a completion have no ID',
    kills: ['gateway/completion-tool-calls'],
    middleware: changeCompletions(({ choices }) => {
      for (const { message } of choices ?? []) for (const call of message?.tool_calls ?? []) delete call.id
    }),
  },
  {
    id: 'gateway/cut-calls-as-complete',
    breaks: 'the finish_reason of a completion with tool calls is tool_calls, also if max_tokens cut it',
    kills: ['gateway/completion-finish-reason'],
    middleware: changeCompletions(({ choices }) => {
      for (const choice of choices ?? []) if (isPresent(choice.message?.tool_calls)) choice.finish_reason = 'tool_calls'
    }),
  },
  {
    id: 'gateway/stream-always-stops',
    breaks: 'the finish_reason of every stream is stop',
    kills: ['gateway/stream-finish-reason'],
    middleware: changeChunks(() => setStop),
  },
  {
    id: 'gateway/completion-always-stops',
    breaks: 'the finish_reason of every completion is stop',
    kills: ['gateway/completion-finish-reason'],
    middleware: changeCompletions(setStop),
  },
]

function callsOf(choices: Completion['choices']) {
  return (choices ?? []).flatMap(({ delta }) => delta?.tool_calls ?? [])
}

function setStop({ choices }: Completion): void {
  for (const choice of choices ?? []) if (isPresent(choice.finish_reason)) choice.finish_reason = 'stop'
}
