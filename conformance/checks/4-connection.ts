import { type Check, defineCheck } from '../engine/check.ts'
import { isStaleConnectionError } from '../http/breakdown.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import type { ObservedFact } from '../outcomes/observed-facts.ts'
import { createKeepAliveConnection } from '../http/keep-alive-connection.ts'
import { calculateMaxCost } from './operation.ts'

const TRIED = 'two chats in a row on one connection'

function observeConnection(first: Exchange, second: Exchange): ObservedFact {
  if (second.reusedConnection === true) return { kind: 'connection', after: 'kept' }
  return { kind: 'connection', after: 'closed', header: first.headers['connection'] ?? null }
}

export const keepAliveCheck = defineCheck({
  id: '4/kept-connection',
  requirement: '4/http-connection',
  title: `the handling of ${TRIED}`,
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: calculateMaxCost('chat', 2),
  async run({ chat }) {
    const connection = createKeepAliveConnection()
    const first = await chat({}, { connection })
    const second = await chat({}, { connection })
    connection.close()
    if (!expect.isServed(first)) return expect.observe(first)
    if (isStaleConnectionError(second))
      return expect.observeFact({ kind: 'connection', after: 'closed-unannounced' }, TRIED)
    return expect.observe(second, { tried: TRIED, observe: () => observeConnection(first, second) })
  },
})

export const connectionChecks: readonly Check[] = [keepAliveCheck]
