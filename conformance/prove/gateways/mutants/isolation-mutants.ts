import { cacheCompletions } from '../cache-completions.ts'
import { type Completion, isPresent, parseObject } from '../completion.ts'
import { changeCompletions, readEvents, replaceData } from '../change-messages.ts'
import { createCutBody, isChat, isEventStream, type Middleware, readBody, replaceBody } from '../gateway-message.ts'
import type { GatewayMutant } from '../gateway-mutant.ts'
import { PARALLEL_CHECKS } from '../parallel-checks.ts'

/** Number of chats in progress up to which the gateways with a shared buffer do not share it. */
const OWN_BUFFERS = 8

/** Responses to other requests. */
export const ISOLATION_MUTANTS: readonly GatewayMutant[] = [
  {
    id: 'gateway/shared-text-buffer',
    breaks: `streams share a buffer while more than ${OWN_BUFFERS} chats are open, so one sends the text of another`,
    kills: ['gateway/isolation'],
    mayAffect: PARALLEL_CHECKS,
    createMiddleware: () => {
      const buffer = createSharedBuffer<string>()
      return async (request, forward) => {
        if (!isChat(request)) return await forward(request)
        const shared = buffer.open()
        const response = await forward(request).catch((error: unknown) => {
          shared.close()
          throw error
        })
        if (isEventStream(response)) return { ...response, body: exchangeText(response.body, shared) }
        return { ...response, body: callFinally(response.body, shared.close) }
      }
    },
  },
  {
    id: 'gateway/shared-completion',
    breaks: `completions share a variable while more than ${OWN_BUFFERS} chats are open, so one has the text of another`,
    kills: ['gateway/isolation'],
    mayAffect: PARALLEL_CHECKS,
    createMiddleware: () => shareCompletions(({ choices }) => ({ choices })),
  },
  {
    id: 'gateway/shared-usage',
    breaks: `completions share a variable while more than ${OWN_BUFFERS} chats are open, so one has the usage of another`,
    kills: ['gateway/isolation'],
    mayAffect: PARALLEL_CHECKS,
    createMiddleware: () => shareCompletions(({ usage }) => ({ usage })),
  },
  {
    id: 'gateway/shared-error',
    breaks: `errors share a variable while more than ${OWN_BUFFERS} chats are open, so one has the text of another`,
    kills: ['gateway/isolation'],
    createMiddleware: () => {
      const buffer = createSharedBuffer<Buffer>()
      return async (request, forward) => {
        if (!isChat(request)) return await forward(request)
        const shared = buffer.open()
        const response = await forward(request).finally(shared.close)
        if (response.status < 400) return response
        const { bytes, isCut } = await readBody(response.body)
        const other = shared.takeOther()
        shared.put(bytes)
        if (isCut) return { ...response, body: createCutBody(bytes) }
        return replaceBody(response, other ?? bytes)
      }
    },
  },
  {
    id: 'gateway/cache-ignores-parameters',
    breaks: 'a completion is sent from a cache to each request with the same last message',
    kills: ['gateway/cache-parameters'],
    mayAffect: ['gateway/cache', 'gateway/once', 'gateway/status-map'],
    createMiddleware: () => cacheCompletions(readLastMessage),
  },
]

function readLastMessage(body: Buffer): string {
  const { messages } = parseObject(body.toString()) ?? {}
  return JSON.stringify(Array.isArray(messages) ? messages.at(-1) : messages)
}

/** One chat that uses a shared buffer. */
interface SharedBuffer<T> {
  put(value: T): void
  /** Returns the value of another chat once, if enough chats are open. */
  takeOther(): T | undefined
  close(): void
}

function createSharedBuffer<T>(): { open(): SharedBuffer<T> } {
  const open = new Set<object>()
  let last: { readonly owner: object; readonly value: T } | undefined
  return {
    open() {
      const owner = {}
      let hasTaken = false
      open.add(owner)
      return {
        put(value) {
          last = { owner, value }
        },
        takeOther() {
          if (hasTaken || last === undefined || last.owner === owner || open.size <= OWN_BUFFERS) return undefined
          hasTaken = true
          return last.value
        },
        close() {
          open.delete(owner)
          if (open.size === 0) last = undefined
        },
      }
    },
  }
}

/** Sends the text of another stream before the chunk with the finish reason. */
async function* exchangeText(body: AsyncIterable<Buffer>, shared: SharedBuffer<string>): AsyncGenerator<Buffer> {
  let text = ''
  try {
    for await (const event of readEvents(body)) {
      const { delta, finish_reason: reason } = event.chunk?.choices?.[0] ?? {}
      const other = isPresent(reason) ? shared.takeOther() : undefined
      if (other !== undefined) {
        const choice = { index: 0, delta: { content: other }, finish_reason: null }
        yield replaceData(event, JSON.stringify({ ...event.chunk, choices: [choice] }))
      }
      text += delta?.content ?? ''
      shared.put(text)
      yield event.raw
    }
  } finally {
    shared.close()
  }
}

/** Replaces fields of a completion by those of another completion. */
function shareCompletions(select: (completion: Completion) => object): Middleware {
  const buffer = createSharedBuffer<object>()
  return async (request, forward) => {
    if (!isChat(request)) return await forward(request)
    const shared = buffer.open()
    const exchange = changeCompletions((completion) => {
      const other = shared.takeOther()
      shared.put(select(completion))
      Object.assign(completion, other)
    })
    const response = await exchange(request, forward).catch((error: unknown) => {
      shared.close()
      throw error
    })
    return { ...response, body: callFinally(response.body, shared.close) }
  }
}

async function* callFinally(body: AsyncIterable<Buffer>, call: () => void): AsyncGenerator<Buffer> {
  try {
    yield* body
  } finally {
    call()
  }
}
