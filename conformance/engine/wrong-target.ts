import { hasBrokenDown } from '../http/breakdown.ts'
import type { Exchange } from '../http/exchange.ts'
import { getMember, parseJson } from '../http/decode-body.ts'
import { getResponseParams } from '../findings/expect.ts'
import { createExcerpt } from '../findings/json-excerpt.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'
import type { RunRemark } from '../findings/run-remark.ts'

/** Statuses of a service that requires a login, or that does not accept a POST to this path. */
const UNAVAILABLE: readonly number[] = [403, 404, 405, 421, 501]

/**
 * Returns why no check can test the server at this address: it is down, redirects or rejects every
 * request, or serves a web site.
 * Returns undefined for a server that may be the API.
 * @param listed response to the request for the list of models
 * @param chat response to a small chat, or undefined if the suite sent none
 * @param hasList whether the target offers the list of models. Otherwise, both requests may get the 404 of a service
 *   that uses one text for an unknown endpoint and an unknown model
 */
export function findWrongTargetRemark(
  url: string,
  listed: Exchange,
  chat: Exchange | undefined,
  hasList = true,
): RunObstacle | undefined {
  const exchanges = chat === undefined ? [listed] : [listed, chat]
  if (exchanges.every(hasBrokenDown)) return { code: 'target-down', params: { url, ...getResponseParams(listed) } }
  const { status, headers } = listed
  const isElsewhere = chat === undefined || isRedirect(chat) || isHtml(chat) || UNAVAILABLE.includes(chat.status)
  if (isRedirect(listed) && isElsewhere) {
    return {
      code: 'target-redirects',
      params: { url, actualStatus: status, location: headers['location'] ?? '' },
    }
  }
  if (chat !== undefined && isSameTextRejection(listed, chat)) {
    const params = { url, actualStatus: status, text: createExcerpt(listed.text.trim()) }
    if (isHostRejection(listed)) return { code: 'target-rejects-host', params }
    if (hasList) return { code: 'target-rejects-everything', params }
  }
  if (status === MISDIRECTED && isElsewhere) {
    return { code: 'target-rejects-host', params: { url, actualStatus: status } }
  }
  // A 401 is no evidence of a web site, because a service that checks keys may send its error response as HTML.
  return isHtml(listed) && status !== 401 && isElsewhere
    ? { code: 'target-is-not-the-api', params: { url, actualStatus: status } }
    : undefined
}

/** Status of a server that does not serve this host name (RFC 9110, section 15.5.20). */
const MISDIRECTED = 421

/** Statuses of a server that rejects a host name, a path or a client, whatever the request. */
const REJECTIONS: readonly number[] = [400, 403, 404, MISDIRECTED]

/** Returns whether both requests got the same status and text, so that the server seems not to read them. */
function isSameTextRejection(listed: Exchange, chat: Exchange): boolean {
  const isSame = listed.status === chat.status && listed.text === chat.text && listed.text.trim() !== ''
  return isSame && REJECTIONS.includes(listed.status) && !isHtml(listed) && parseJson(listed.text) === undefined
}

function isHostRejection({ status, text }: Exchange): boolean {
  return status === MISDIRECTED || /\bhost(?:name)?\b/i.test(text)
}

function isRedirect({ status }: Exchange): boolean {
  return status >= 300 && status < 400
}

/** Returns whether a response is HTML. Some servers, such as PHP, label JSON as HTML by default. */
export function isHtml({ headers, text }: Exchange): boolean {
  const isLabelled = /^text\/html\b/i.test(headers['content-type'] ?? '')
  return (isLabelled && parseJson(text) === undefined) || /^\s*<(!doctype html|html)\b/i.test(text)
}

const UNKNOWN_MODEL_STATUSES: readonly number[] = [400, 403, 404]

/** Returns a remark if the target rejected a small chat because of its model, which the owner must then declare. */
export function findRejectedModelRemark(
  model: string,
  { status, error, json }: Exchange,
  listedIds: readonly string[],
): RunRemark | undefined {
  if (model === '' || error !== undefined || !UNKNOWN_MODEL_STATUSES.includes(status)) return undefined
  const text = JSON.stringify(json ?? '')
  if (!text.includes(JSON.stringify(model).slice(1, -1)) && !text.includes('model_not_found')) return undefined
  const isListed = listedIds.includes(model)
  return {
    code: 'model-rejected',
    params: { model, actualStatus: status, message: createExcerpt(findMessage(json)), isListed },
  }
}

/** Returns the message of an error body in one of the usual forms, or the whole body. */
function findMessage(json: unknown): unknown {
  const error = getMember(json, 'error')
  return getMember(error, 'message') ?? error ?? getMember(json, 'detail') ?? getMember(json, 'message') ?? json
}
