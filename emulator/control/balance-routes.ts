import type { FastifyInstance } from 'fastify'
import type { Accounts } from '../state/accounts.ts'
import { creditsFromUnits } from '../state/credits.ts'

/**
 * GET /__emulator/balance: `{"credits": "12.5"}` of the account whose key the request carries, as a service would show it
 * to its customers. It is what is available: holds of calls under way are off it.
 */
export function registerBalanceRoute(server: FastifyInstance, accounts: Accounts): void {
  server.get('/balance', (request, reply) => {
    const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const account = accounts.findByKey(key)
    if (account === undefined) {
      return reply.code(401).send({ error: 'Send the key of an account: Authorization: Bearer <key>.' })
    }
    return reply.send({ credits: creditsFromUnits(account.ledger.balance().availableUnits) })
  })
}
