import { defineCheck } from '../engine/check.ts'
import type { Check, Outcome } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { keepConnection } from '../http/kept-connection.ts'
import { costOf } from './operation.ts'

const TRIED = 'two chats in a row on one connection'

/** HTTP lets either side close an idle connection at any time; the client then has to ask again. */
export function isClosedUnasked({ reusedConnection, error }: Exchange): boolean {
  return reusedConnection === true && (error?.kind === 'reset' || error?.kind === 'closed-early')
}

function describe(first: Exchange, second: Exchange): string {
  if (second.reusedConnection === true) return 'both were served on it'
  const field = first.headers['connection'] ?? 'none'
  return `the target closes it after an answer (connection: ${field})`
}

export const keptConnection = defineCheck({
  id: '4/kept-connection',
  requirement: '4/http-connection',
  title: `what the target does with ${TRIED}`,
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 2),
  async run({ chat }): Promise<Outcome> {
    const connection = keepConnection()
    const first = await chat({}, { connection })
    const second = await chat({}, { connection })
    connection.close()
    if (!expect.served(first)) return expect.observed(first)
    if (isClosedUnasked(second)) {
      return {
        verdict: 'observed',
        expected: [],
        actual: `${TRIED}: the target closes it after an answer, and does not say so`,
      }
    }
    return expect.observed(second, () => `${TRIED}: ${describe(first, second)}`)
  },
})

export const connectionChecks: readonly Check[] = [keptConnection]
