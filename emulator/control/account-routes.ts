import type { FastifyInstance } from 'fastify'
import { MAX_ACCOUNTS, type Account, type CreateAccountOptions, type Accounts } from '../state/accounts.ts'
import { formatUnits, parseCredits } from '../state/credits.ts'
import { parseInteger, parseQuery } from './parse-query.ts'
import { RATE_LIMIT_FIELDS, parseRateLimit } from '../state/limits/rate-limit.ts'

/**
 * Registers the account routes under /__emulator:
 * - `GET /accounts` lists all accounts in the order of creation, or a page of them.
 * - `POST /accounts` creates an account.
 * - `GET /balance` returns the available credits of the authenticated account as `{"credits": "12.5"}`. Credits held
 *   for requests in progress are not available.
 */
export function registerAccountRoutes(server: FastifyInstance, accounts: Accounts): void {
  server.get('/accounts', (request, reply) => {
    const selected = selectAccounts(accounts.all(), request.query)
    if (typeof selected === 'string') return reply.code(400).send({ error: selected })
    return reply.send({ accounts: selected.map(formatAccount) })
  })
  server.post('/accounts', (request, reply) => {
    const options = parseAccountOptions(request.body)
    if (typeof options === 'string') return reply.code(400).send({ error: options })
    const account = accounts.create(options)
    if (account === undefined)
      return reply.code(400).send({ error: `There are already ${MAX_ACCOUNTS} accounts. Reset the emulator.` })
    const { id, key } = account
    return reply.code(201).send({ id, key, credits: formatUnits(options.startUnits) })
  })
  server.get('/balance', (request, reply) => {
    const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const account = accounts.findByKey(key)
    if (account === undefined) {
      return reply.code(401).send({ error: 'Send the key of an account: Authorization: Bearer <key>.' })
    }
    return reply.send({ credits: formatUnits(account.ledger.balance().availableUnits) })
  })
}

/**
 * Selects a page of accounts. `?tail=N` selects the last N; with `before=ID`, the last N before this account.
 * @returns the accounts, or a sentence that describes the error
 */
function selectAccounts(all: readonly Account[], query: unknown): readonly Account[] | string {
  const values = parseQuery(query, ['tail', 'before'])
  if (typeof values === 'string') return values
  const { tail, before } = values
  const count = tail === undefined ? all.length : parseInteger(tail, 1, MAX_ACCOUNTS)
  if (count === undefined) return `The parameter 'tail' must be an integer from 1 to ${MAX_ACCOUNTS}.`
  const end = before === undefined ? all.length : all.findIndex(({ id }) => id === before)
  if (end === -1) return `There is no account '${before}'.`
  return all.slice(Math.max(0, end - count), end)
}

/** Formats an account for the control API: credits as decimal strings, and the last four characters of the key. */
function formatAccount({ id, key, ledger }: Account) {
  const balance = ledger.balance()
  return {
    id,
    keySuffix: key.slice(-4),
    credits: formatUnits(balance.availableUnits),
    held: formatUnits(balance.heldUnits),
    charged: formatUnits(balance.chargedUnits),
  }
}

/**
 * Parses `{"credits": "12.5", "requestsPerMinute": 60, "burst": 5}`. The fields of the rate limit are optional; without
 * them, the account gets the default rate limit of created accounts.
 * @returns the options, or a sentence that describes the error
 */
function parseAccountOptions(body: unknown): CreateAccountOptions | string {
  if (typeof body !== 'object' || body === null) return 'Send a JSON object such as {"credits": "12.5"}.'
  const { credits, ...others }: Record<string, unknown> = { ...body }
  const unknown = Object.keys(others).find((name) => !RATE_LIMIT_FIELDS.some((known) => known === name))
  if (unknown !== undefined) {
    return `Unknown field "${unknown}". The fields are credits, ${RATE_LIMIT_FIELDS.join(', ')}.`
  }
  const startUnits = typeof credits === 'string' ? parseCredits(credits) : undefined
  if (startUnits === undefined) {
    return '"credits" must be a decimal string from "0" to "100000000000" with at most four fraction digits.'
  }
  if (Object.keys(others).length === 0) return { startUnits }
  const rateLimit = parseRateLimit(others)
  return typeof rateLimit === 'string' ? rateLimit : { startUnits, rateLimit }
}
