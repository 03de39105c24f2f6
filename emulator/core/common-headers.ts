import type { Decisions } from '../options/unspecified-behaviour/decisions.ts'
import type { Received } from './receive.ts'
import type { WholeResponse } from './respond.ts'

/** Header fields of every answer, as decided. */
export function commonHeaders(decisions: Decisions): Record<string, string> {
  const headers: Record<string, string> = {}
  if (decisions.cors === 'any') {
    headers['access-control-allow-origin'] = '*'
    headers['access-control-expose-headers'] = '*'
  }
  if (decisions.connection === 'closed') headers['connection'] = 'close'
  return headers
}

/** The answer to a browser that asks before it calls, where pages of other origins may; it comes without a key. */
export function answerPreflight({ method }: Received, decisions: Decisions): WholeResponse | undefined {
  if (method !== 'OPTIONS' || decisions.cors === 'none') return undefined
  const headers = {
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'authorization, content-type',
    'access-control-max-age': '600',
  }
  return { status: 204, headers, body: '', dueMs: 0 }
}
