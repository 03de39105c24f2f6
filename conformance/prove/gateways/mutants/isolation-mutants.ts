import { cacheCompletions } from '../cache-completions.ts'
import { isPresent, parseObject, type Usage } from '../completion.ts'
import { changeBodies, changeCompletions, changeWrites, readEvents, replaceData } from '../change-messages.ts'
import { isChat, type Middleware } from '../gateway-message.ts'
import type { GatewayFault } from '../gateway-mutant.ts'
import { PARALLEL_CHECKS } from '../parallel-checks.ts'

/** Number of chats in progress up to which the gateways with a shared buffer do not share it. */
const OWN_BUFFERS = 8

export const ISOLATION_MUTANTS: readonly GatewayFault[] = [
  {
    id: 'gateway/shared-text-buffer',
    breaks: `streams share a buffer while more than ${OWN_BUFFERS} chats are open, so one sends the text of another`,
    kills: ['gateway/isolation'],
    mayAffect: PARALLEL_CHECKS,
    createMiddleware: () => shareBuffer<string>((shared) => changeWrites((body) => exchangeText(body, shared))),
  },
  {
    id: 'gateway/shared-usage',
    breaks: `completions share a variable while more than ${OWN_BUFFERS} chats are open, so one has the usage of another`,
    kills: ['gateway/isolation'],
    mayAffect: PARALLEL_CHECKS,
    createMiddleware: () =>
      shareBuffer<Usage>((shared) =>
        changeCompletions((completion) => {
          const other = shared.takeOther()
          if (isPresent(completion.usage)) shared.put(completion.usage)
          if (other !== undefined) completion.usage = other
        }),
      ),
  },
  {
    id: 'gateway/shared-error',
    breaks: `errors share a variable while more than ${OWN_BUFFERS} chats are open, so one has the text of another`,
    kills: ['gateway/isolation'],
    createMiddleware: () =>
      shareBuffer<Buffer>((shared) =>
        changeBodies(
          (_request, { status }) => status >= 400,
          (bytes) => {
            const other = shared.takeOther()
            shared.put(bytes)
            return other ?? bytes
          },
        ),
      ),
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
}

/** Applies a change to each chat, with a buffer that all chats share until the end of their responses. */
function shareBuffer<T>(createChange: (shared: SharedBuffer<T>) => Middleware): Middleware {
  const open = new Set<object>()
  let last: { readonly owner: object; readonly value: T } | undefined
  return async (request, forward) => {
    if (!isChat(request)) return await forward(request)
    const owner = {}
    let hasTaken = false
    open.add(owner)
    const close = () => {
      open.delete(owner)
      if (open.size === 0) last = undefined
    }
    const change = createChange({
      put: (value) => (last = { owner, value }),
      takeOther() {
        if (hasTaken || last === undefined || last.owner === owner || open.size <= OWN_BUFFERS) return undefined
        hasTaken = true
        return last.value
      },
    })
    try {
      const response = await change(request, forward)
      return { ...response, body: callFinally(response.body, close) }
    } catch (error) {
      close()
      throw error
    }
  }
}

/** Sends the text of another stream before the chunk with the finish reason. */
async function* exchangeText(body: AsyncIterable<Buffer>, shared: SharedBuffer<string>): AsyncGenerator<Buffer> {
  let text = ''
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
}

async function* callFinally(body: AsyncIterable<Buffer>, call: () => void): AsyncGenerator<Buffer> {
  try {
    yield* body
  } finally {
    call()
  }
}
