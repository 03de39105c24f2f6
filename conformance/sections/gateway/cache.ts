import * as expect from '../../findings/expect.ts'
import { getMember } from '../shared/response-access.ts'
import { defineGatewayCheck, isServedThrough, markUnserved, observePolicy } from './define-check.ts'
import { readUpstreamBody } from './read-response.ts'
import { TOOLS } from './tool-calls.ts'

/** Parameters of a request, and a value of each one that makes it another request. */
const BASE = { temperature: 0, max_tokens: 100, seed: 1 }
const OTHER_VALUES = {
  temperature: 1,
  max_tokens: 50,
  seed: 2,
  tools: TOOLS,
  response_format: { type: 'json_object' },
} as const

const SYSTEM_MESSAGE = { role: 'system', content: 'Be brief.' }

function buildMessages(word: string): readonly object[] {
  return [{ role: 'user', content: `What is ${word}?` }]
}

export const cacheChecks = [
  defineGatewayCheck({
    id: 'gateway/cache',
    requirement: 'gateway/cache',
    title: 'an identical request',
    requests: 2,
    async run(ends) {
      const first = await ends.send({ respond: { text: 'One.' }, fields: () => ({ temperature: 0 }) })
      if (!isServedThrough(first)) return markUnserved(first)
      const second = await ends.sendAgain(first)
      const isCached = second.upstream.length === first.upstream.length
      return observePolicy({ 'identical request': isCached ? 'served from a cache' : 'forwarded' })
    },
  }),
  defineGatewayCheck({
    id: 'gateway/cache-parameters',
    requirement: 'gateway/isolation',
    title: 'serves no request from a cache that ignores its parameters or its system message',
    requests: Object.keys(OTHER_VALUES).length + 2,
    async run(ends) {
      const fields = (word: string) => ({ ...BASE, messages: buildMessages(word) })
      const first = await ends.send({ respond: { text: 'One.' }, fields })
      if (!isServedThrough(first)) return markUnserved(first)
      const body = first.upstream[0] === undefined ? undefined : readUpstreamBody(first.upstream[0])
      const changes = [
        // Without the parameter, the upstream gets the same request, which a cache may serve.
        ...Object.entries(OTHER_VALUES).filter(([name]) => name !== 'seed' || getMember(body, name) !== undefined),
        ['messages', [SYSTEM_MESSAGE, ...buildMessages(first.word)]] as const,
      ]
      const ignored: string[] = []
      for (const [name, value] of changes) {
        const before = await ends.countArrivals(first)
        const trial = { ...first.trial, fields: (word: string) => ({ ...fields(word), [name]: value }) }
        const next = await ends.sendAgain({ ...first, trial })
        if ((await ends.countArrivals(first)) > before || !expect.isServed(next.client)) continue
        ignored.push(name)
        ends.show(next)
      }
      if (ignored.length === 0) return expect.pass({ rule: 'no-cross-talk' })
      return expect.fail(
        { rule: 'no-cross-talk' },
        { code: 'gateway-cached-other-request', params: { parts: ignored } },
      )
    },
  }),
]
