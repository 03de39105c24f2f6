import type { FastifyInstance } from 'fastify'
import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import { describeAccountCreationError, MAX_ACCOUNTS, type Account, type Accounts } from '../state/accounts.ts'
import { formatUnits, MAX_CREDITS } from '../state/credits.ts'
import { ControlError, parseInteger, parseQuery, requireValid } from './parse-request.ts'
import { describeCreditsField, parseCreditsField, parseNewAccount } from '../state/parse-new-account.ts'

/**
 * Registers the account routes under /__emulator:
 * - `GET /accounts` lists all accounts in the order of creation, or a page of them.
 * - `POST /accounts` creates an account.
 * - `PATCH /accounts/ID` with `{"credits": "5"}` sets the available credits of an account.
 * - `POST /accounts/ID/credits` with `{"add": "5"}` adds credits to an account.
 * - `GET /balance` returns the available credits of the authenticated account as `{"credits": "12.5"}`. Credits on hold
 *   for requests in progress are not available.
 */
export function registerAccountRoutes(server: FastifyInstance, accounts: Accounts): void {
  server.get('/accounts', ({ query }) => ({ accounts: selectAccounts(accounts.all(), query).map(formatAccount) }))
  server.post('/accounts', (request, reply) => {
    const options = requireValid(parseNewAccount(request.body))
    const account = accounts.create(options)
    if (typeof account === 'string')
      throw new ControlError(account === 'key-in-use' ? 409 : 400, describeAccountCreationError(account))
    const { id, key } = account
    const credits = formatUnits(options.startUnits)
    return reply.code(201).send({ id, key, keyFingerprint: fingerprintSecret(key), credits })
  })
  const registerChange = (
    method: 'PATCH' | 'POST',
    url: string,
    name: string,
    change: (account: Account, units: number) => boolean,
  ) =>
    server.route<{ Params: { id: string } }>({
      method,
      url,
      handler: ({ params: { id }, body }) => {
        const account = accounts.findById(id)
        if (account === undefined) throw new ControlError(404, `There is no account '${id}'.`)
        if (change(account, requireValid(parseAmount(body, name)))) return formatAccount(account)
        throw new ControlError(400, `An account can have at most ${MAX_CREDITS} credits.`)
      },
    })
  registerChange('PATCH', '/accounts/:id', 'credits', ({ ledger }, units) =>
    ledger.adjust(units - ledger.balance().availableUnits),
  )
  registerChange('POST', '/accounts/:id/credits', 'add', ({ ledger }, units) => ledger.adjust(units))
  server.get('/balance', ({ headers }) => {
    const key = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
    const account = accounts.findByKey(key)
    if (account === undefined) throw new ControlError(401, 'Send the key of an account: Authorization: Bearer <key>.')
    return { credits: formatUnits(account.ledger.balance().availableUnits) }
  })
}

/**
 * Selects a page of accounts. `?tail=N` selects the last N accounts. With `before=ID`, it selects the last N accounts
 * before that one.
 */
function selectAccounts(all: readonly Account[], query: unknown): readonly Account[] {
  const { tail, before } = parseQuery(query, ['tail', 'before'])
  const count = tail === undefined ? all.length : parseInteger(tail, 1, MAX_ACCOUNTS)
  if (count === undefined)
    throw new ControlError(400, `The parameter 'tail' must be an integer from 1 to ${MAX_ACCOUNTS}.`)
  const end = before === undefined ? all.length : all.findIndex(({ id }) => id === before)
  if (end === -1) throw new ControlError(400, `There is no account '${before}'.`)
  return all.slice(Math.max(0, end - count), end)
}

/**
 * Formats an account for the control API. Credits are decimal strings. Shows the fingerprint of the
 * key.
 */
function formatAccount({ id, key, ledger }: Account) {
  const balance = ledger.balance()
  return {
    id,
    keyFingerprint: fingerprintSecret(key),
    credits: formatUnits(balance.availableUnits),
    held: formatUnits(balance.heldUnits),
    charged: formatUnits(balance.chargedUnits),
    ...(balance.addedUnits === undefined ? {} : { added: formatUnits(balance.addedUnits) }),
  }
}

/**
 * Parses a body with one amount of credits, such as `{"credits": "12.5"}`.
 * @returns the amount in units of 0.0001 credit, or a sentence that describes the error
 */
function parseAmount(body: unknown, name: string): number | string {
  const isObject = typeof body === 'object' && body !== null && Object.keys(body).join() === name
  const units = isObject ? parseCreditsField(Reflect.get(body, name)) : undefined
  return units ?? `Send a JSON object such as {"${name}": "12.5"}. ${describeCreditsField(name)}`
}
