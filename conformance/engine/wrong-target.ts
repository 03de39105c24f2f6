import { hasBrokenDown } from '../http/breakdown.ts'
import type { Exchange } from '../http/exchange.ts'
import { getResponseParams } from '../outcomes/expect.ts'
import type { RunObstacle } from '../outcomes/run-obstacle.ts'

/** Statuses of a service that requires a login, or that does not accept a POST to this path. */
const UNAVAILABLE: readonly number[] = [403, 404, 405, 501]

/**
 * Returns why no check can test the server at this address: it is down, redirects every request, or serves a web site.
 * Returns undefined for a server that may be the API.
 * @param listed response to the request for the list of models
 * @param chat response to a small chat, or undefined if the suite sent none
 */
export function findWrongTargetRemark(
  url: string,
  listed: Exchange,
  chat: Exchange | undefined,
): RunObstacle | undefined {
  const exchanges = chat === undefined ? [listed] : [listed, chat]
  if (exchanges.every(hasBrokenDown)) {
    return { code: 'target-down', params: { url, ...getResponseParams(listed) } }
  }
  const { status, headers } = listed
  const isElsewhere = chat === undefined || isRedirect(chat) || isHtml(chat) || UNAVAILABLE.includes(chat.status)
  if (isRedirect(listed) && isElsewhere) {
    return {
      code: 'target-redirects',
      params: { url, actualStatus: status, location: headers['location'] ?? '' },
    }
  }
  // A 401 is no evidence of a web site, because a service that checks keys may send its error response as HTML.
  return isHtml(listed) && status !== 401 && isElsewhere
    ? { code: 'target-is-not-the-api', params: { url, actualStatus: status } }
    : undefined
}

function isRedirect({ status }: Exchange): boolean {
  return status >= 300 && status < 400
}

function isHtml({ headers, text }: Exchange): boolean {
  return /^text\/html\b/i.test(headers['content-type'] ?? '') || /^\s*<(!doctype html|html)\b/i.test(text)
}
