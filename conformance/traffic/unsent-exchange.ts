import { buildExchange } from '../http/build-exchange.ts'
import type { Exchange } from '../http/exchange.ts'
import { joinPieces } from '../http/received-body.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'

const ABORTS: readonly RunObstacle['code'][] = ['run-interrupted', 'time-limit-reached']

/** Creates the exchange of a request that the dispatcher did not send because of an obstacle. */
export function buildUnsentExchange(
  request: Exchange['request'],
  code: RunObstacle['code'],
  { message, startedAtMs }: { readonly message: string; readonly startedAtMs: number },
): Exchange {
  const error = { kind: ABORTS.includes(code) ? 'interrupted' : 'spend-limit', message } as const
  return buildExchange(request, startedAtMs, { status: 0, headers: {}, body: joinPieces([]), totalMs: 0, error })
}
