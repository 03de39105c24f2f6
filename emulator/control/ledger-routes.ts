import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Account, Accounts } from '../state/accounts.ts'
import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import { auditLedger } from '../observability/ledger-audit.ts'
import type { LedgerEntry, LedgerAccount } from '../state/ledger-log.ts'
import { formatUnits } from '../state/credits.ts'
import { ControlError, parseInteger, parseQuery } from './parse-request.ts'

/**
 * Registers `GET /ledger`, which returns one JSON line per ledger entry, and `GET /invariant`, which compares every
 * balance with the entries of its account.
 */
export function registerLedgerRoutes(server: FastifyInstance, accounts: Accounts): void {
  server.get('/ledger', (request, reply) => {
    const { account, after: text = '0' } = parseQuery(request.query, ['account', 'after'])
    const after = parseInteger(text, 0, Number.MAX_SAFE_INTEGER)
    if (after === undefined) throw new ControlError(400, "The parameter 'after' must be the 'sequence' of an entry.")
    const selected = accounts.all().filter(({ id }) => account === undefined || id === account)
    if (selected.length === 0) throw new ControlError(404, `There is no account '${account}'.`)
    const ledgerAccounts = new Set(selected.map(({ ledgerAccount }) => ledgerAccount))
    const dropped = selected.reduce((sum, { ledgerAccount }) => sum + ledgerAccount.dropped.entries, 0)
    return reply
      .headers({ 'content-type': 'application/jsonl; charset=utf-8', 'x-touchstone-dropped-entries': String(dropped) })
      .send(Readable.from(formatLines(accounts.ledgerLog.entries(after), ledgerAccounts)))
  })
  server.get('/invariant', () => {
    const entries = Map.groupBy(accounts.ledgerLog.entries(), ({ account }) => account)
    const audits = accounts.all().map((account) => auditAccount(account, entries.get(account.ledgerAccount) ?? []))
    return { holds: audits.every(({ holds }) => holds), accounts: audits }
  })
}

/**
 * Formats the ledger entries of the given accounts as JSON lines. Skips entries of accounts that a reset has removed;
 * requests in progress during a reset still write such entries.
 */
function* formatLines(entries: Iterable<LedgerEntry>, ledgerAccounts: ReadonlySet<LedgerAccount>): Generator<string> {
  for (const entry of entries)
    if (ledgerAccounts.has(entry.account)) yield `${JSON.stringify(formatLedgerEntry(entry))}\n`
}

/** Formats a ledger entry for the control API. Credits are decimal strings. */
function formatLedgerEntry(entry: LedgerEntry): object {
  const { sequence, kind, account } = entry
  const time = new Date(entry.unixMs).toISOString()
  const base = { sequence, kind, time, account: account.accountId }
  if (entry.kind === 'adjust') return { ...base, credits: formatUnits(entry.addedUnits) }
  const { purpose } = entry
  const common = { ...base, request: purpose.requestId, model: purpose.model ?? null }
  if (entry.kind === 'hold') return { ...common, credits: formatUnits(entry.heldUnits), tokens: purpose.tokens }
  const [credits, freed] = [formatUnits(entry.chargedUnits), formatUnits(entry.releasedUnits)]
  return { ...common, hold: entry.hold, credits, freed, tokens: entry.usedTokens }
}

/** Recomputes the totals of an account from its ledger entries, and compares them with the account's balance. */
function auditAccount({ id, key, ledger, ledgerAccount }: Account, accountEntries: readonly LedgerEntry[]) {
  const balance = ledger.balance()
  const { holds, violations, addedUnits, chargedUnits, openHoldUnits, ...counts } = auditLedger(
    balance,
    ledgerAccount,
    accountEntries,
  )
  return {
    id,
    keyFingerprint: fingerprintSecret(key),
    holds,
    faults: violations,
    ...counts,
    start: formatUnits(balance.startUnits),
    ...(addedUnits === 0 ? {} : { added: formatUnits(addedUnits) }),
    charged: formatUnits(chargedUnits),
    held: formatUnits(openHoldUnits),
    available: formatUnits(balance.availableUnits),
  }
}
