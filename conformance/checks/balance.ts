import { UNITS_PER_CREDIT } from '../../contract/facts.ts'
import type { CheckContext } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import type { Outcome } from '../outcomes/outcome.ts'
import { toShown } from '../outcomes/shown.ts'
import { at, isCount } from './read.ts'

/** Waits for a delayed charge, in milliseconds. */
const WAITS_MS = [0, 200, 800, 2000] as const
/** Reads the balance until two consecutive reads are equal. */
const MAX_READS = 4
/**
 * Upper bound of the reads for one request: until the balance is steady, until it changes, until it is steady again.
 */
export const MAX_READS_PER_CHARGE = 2 * MAX_READS + WAITS_MS.length

/** A request with its charge, in units of 0.0001 credit, as the balance shows it. */
export interface ChargedRequest {
  readonly response: Exchange
  readonly units: number
}

/** Units of 0.0001 credit in a balance, given as a number or as decimal text; undefined for anything else. */
export function unitsOf(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
  if (!isText && typeof value !== 'number') return undefined
  // Rounded to a hundredth of a unit: the precision of a double at a large balance.
  return Math.round(Number(value) * UNITS_PER_CREDIT * 100) / 100
}

/** Resolves a JSON pointer (RFC 6901). */
export function resolvePointer(json: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1)
  return at(json, ...steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')))
}

/**
 * Sends a request with the funded key and measures its charge at the declared balance endpoint.
 * @returns an outcome if the balance cannot be read, or changes without a request of the suite
 */
export async function chargeOf(
  context: CheckContext,
  send: () => Promise<Exchange>,
): Promise<ChargedRequest | Outcome> {
  const before = await steadyBalance(context)
  if (typeof before !== 'number') return before
  const response = await send()
  let now: number | Outcome = before
  for (const waitMs of expect.served(response) ? WAITS_MS : WAITS_MS.slice(0, 1)) {
    if (waitMs > 0) await context.wait(waitMs)
    now = await readBalance(context)
    if (typeof now !== 'number') return now
    if (now !== before) break
  }
  const after = await steadyBalance(context, now)
  return typeof after === 'number' ? { response, units: Math.round((before - after) * 100) / 100 } : after
}

/** True for an outcome that `chargeOf` returns instead of a charge. */
export function isOutcome(value: ChargedRequest | Outcome): value is Outcome {
  return 'verdict' in value
}

/** @param first what an earlier read gave */
async function steadyBalance(context: CheckContext, first?: number): Promise<number | Outcome> {
  let last = first ?? (await readBalance(context))
  for (let reads = 1; reads < MAX_READS; reads += 1) {
    if (typeof last !== 'number') return last
    const next = await readBalance(context)
    if (next === last) return next
    last = next
  }
  return expect.notTestable({ code: 'no-evidence', params: { missing: 'steady-balance' } })
}

async function readBalance({ declared, send }: CheckContext): Promise<number | Outcome> {
  const { path = '', pointer = '' } = declared.balance ?? {}
  const response = await send({ method: 'GET', path, key: 'funded' })
  if (!expect.served(response)) {
    return expect.notTestable({ code: 'balance-unreadable', params: { path, ...expect.paramsOf(response) } })
  }
  const value = resolvePointer(response.json, pointer)
  const actual = value === undefined ? {} : { actual: toShown(value) }
  return unitsOf(value) ?? expect.notTestable({ code: 'balance-not-a-number', params: { path, pointer, ...actual } })
}

/** Prompt and completion tokens of a response, from its usage; undefined where it reports none. */
export function tokensOf({ json }: Exchange): { readonly prompt: number; readonly completion: number } | undefined {
  const prompt = at(json, 'usage', 'prompt_tokens')
  const completion = at(json, 'usage', 'completion_tokens')
  return isCount(prompt) && isCount(completion) ? { prompt: Number(prompt), completion: Number(completion) } : undefined
}
