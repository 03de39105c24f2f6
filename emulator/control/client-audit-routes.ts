import type { FastifyInstance } from 'fastify'
import type { EmulatorInstance } from '../core/pipeline.ts'
import { clientOfAccount } from '../observability/client-identity.ts'
import { creditsFromUnits, unitsFromCredits } from '../state/credits.ts'
import { parseQuery } from './parse-query.ts'

/** GET /__emulator/conduct and POST /__emulator/conduct/billing. */
export function registerClientAuditRoutes(server: FastifyInstance, { records, accounts }: EmulatorInstance): void {
  server.get('/conduct', (request, reply) => {
    const query = parseQuery(request.query, ['account', 'keySuffix'])
    if (typeof query === 'string') return reply.code(400).send({ error: query })
    const { account, keySuffix } = query
    const conduct = records.conduct.report(
      (client) =>
        (account === undefined || client.account === account) &&
        (keySuffix === undefined || client.keySuffix === keySuffix),
    )
    return reply.send(conduct)
  })

  server.post('/conduct/billing', (request, reply) => {
    const said = parseBillingReport(request.body)
    if (typeof said === 'string') return reply.code(400).send({ error: said })
    const account = accounts.all().find(({ id }) => id === said.account)
    if (account === undefined) return reply.code(404).send({ error: `There is no account '${said.account}'.` })
    const { chargedUnits, heldUnits } = account.ledger.balance()
    records.conduct.reportBilling(clientOfAccount(account), { believedUnits: said.believedUnits, chargedUnits })
    return reply.send({
      account: account.id,
      agrees: said.believedUnits === chargedUnits,
      believed: creditsFromUnits(said.believedUnits),
      charged: creditsFromUnits(chargedUnits),
      difference: creditsFromUnits(said.believedUnits - chargedUnits),
      held: creditsFromUnits(heldUnits),
    })
  })
}

/** Reads `{"account": "account-1", "credits": "0.0532"}`. @returns one sentence when it is none such */
function parseBillingReport(body: unknown): { readonly account: string; readonly believedUnits: number } | string {
  const { account, credits }: Record<string, unknown> = typeof body === 'object' ? { ...body } : {}
  const believedUnits = typeof credits === 'string' ? unitsFromCredits(credits) : undefined
  if (typeof account !== 'string' || believedUnits === undefined) {
    return 'Send {"account": "<id>", "credits": "0.0532"}: what the client believes that this account was charged so far.'
  }
  return { account, believedUnits }
}
