import type { Exchange } from '../http/exchange.ts'
import type { RunObstacle } from '../outcomes/run-obstacle.ts'

const ABORTS: readonly RunObstacle['code'][] = ['run-interrupted', 'time-limit-reached']

/** Creates the exchange of a request that the dispatcher did not send because of an obstacle. */
export function buildUnsentExchange(
  request: Exchange['request'],
  code: RunObstacle['code'],
  { message, startedAtMs }: { readonly message: string; readonly startedAtMs: number },
): Exchange {
  return {
    request,
    startedAtMs,
    totalMs: 0,
    status: 0,
    headers: {},
    body: new Uint8Array(),
    text: '',
    json: undefined,
    events: [],
    unfinishedFrame: false,
    error: { kind: ABORTS.includes(code) ? 'interrupted' : 'spend-limit', message },
  }
}
