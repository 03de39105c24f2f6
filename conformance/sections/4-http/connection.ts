import { OPERATIONS } from '../../../contract/facts.ts'
import { type Check, defineCheck, calculateMaxCost } from '../../engine/check.ts'
import { hasBrokenDown, isStaleConnectionError } from '../../http/breakdown.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { ObservedFact } from '../../findings/facts.ts'
import { createKeepAliveConnection } from '../../http/keep-alive-connection.ts'

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
  cost: calculateMaxCost('chat', 2),
  // Otherwise, each request waits for those of other checks, and the target may close an idle connection.
  alone: true,
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

const headBodyCheck = defineCheck({
  id: '4/head-body',
  requirement: '4/head-body',
  title: 'sends no body in a response to HEAD',
  operation: 'models',
  async run({ send }) {
    const response = await send({ method: 'HEAD', path: OPERATIONS.models.path, key: 'funded', headers: {} })
    // The breakdown check of the operation reports this response.
    if (response.error !== undefined || hasBrokenDown(response)) return expect.checkSuccess(response)
    return response.body.byteLength === 0
      ? expect.pass({ rule: 'no-body' }, { kind: 'response', actualStatus: response.status })
      : expect.warn({ rule: 'no-body' }, { code: 'wrong-body', params: { problem: 'present' } }, BODY_CONSEQUENCE)
  },
})

const BODY_CONSEQUENCE =
  'HTTP forbids this body (RFC 9110, section 9.3.2): a client that keeps the connection reads the body as the start of the next response, and that request fails'

export const connectionChecks: readonly Check[] = [keepAliveCheck, headBodyCheck]
