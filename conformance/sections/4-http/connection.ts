import { type Check, defineCheck, calculateMaxCost } from '../../engine/check.ts'
import { hasBrokenDown, isStaleConnectionError } from '../../http/breakdown.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { ConnectionEnd } from '../../findings/facts.ts'
import { isStreamingRequest } from '../../http/is-streaming-request.ts'
import { HEAD_OF_MODELS } from './http.ts'
import { MAX_ON_ONE_CONNECTION, sendOnOneConnection } from '../1-service/cross-talk.ts'

const TRIED = 'a stream, a chat and another stream on one connection'

/**
 * Describes what the target did with the connection after a response: kept it, closed it as announced by a header, or
 * closed it although it had promised to keep it, as HTTP/1.1 does without a header.
 */
function describeConnection(before: Exchange, next: Exchange): ConnectionEnd {
  if (isStaleConnectionError(next)) return 'closed-during-request'
  if (next.reusedConnection === true) return 'kept'
  return /\bclose\b/i.test(before.headers['connection'] ?? '') ? 'closed' : 'closed-unannounced'
}

export const keepAliveCheck = defineCheck({
  id: '4/kept-connection',
  requirement: '4/http-connection',
  title: `the handling of ${TRIED}`,
  operation: 'chat',
  cost: calculateMaxCost('chat', MAX_ON_ONE_CONNECTION),
  alone: true,
  async run(context) {
    const sent = await sendOnOneConnection(context)
    const unserved = sent.find((response) => !expect.isServed(response) && !isStaleConnectionError(response))
    if (unserved !== undefined) return expect.observe(unserved)
    const after = (isStream: boolean): ConnectionEnd => {
      const at = sent.findIndex((one) => expect.isServed(one) && isStreamingRequest(one.request) === isStream)
      const [before, next] = [sent[at], sent[at + 1]]
      return before === undefined || next === undefined ? 'closed' : describeConnection(before, next)
    }
    return expect.observeFact({ kind: 'connection', afterStream: after(true), afterChat: after(false) }, TRIED)
  },
})

const headBodyCheck = defineCheck({
  id: '4/head-body',
  requirement: '4/head-body',
  title: 'sends no body in a response to HEAD',
  operation: 'models',
  async run({ shared }) {
    const response = await shared.send(HEAD_OF_MODELS)
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
