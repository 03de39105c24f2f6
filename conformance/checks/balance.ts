import { UNITS_PER_CREDIT } from '../../contract/facts.ts'
import type { CheckContext, Outcome } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { at, isCount, show } from './read.ts'

/** Waits for a charge that is not made at once, in milliseconds. */
const WAITS_MS = [0, 200, 800, 2000] as const
/** Reads until two in a row are the same. */
const MOST_READS = 4
/** The most reads around one request: until it is steady, until it changes, until it is steady again. */
export const MOST_READS_PER_CHARGE = 2 * MOST_READS + WAITS_MS.length

/** A request with what it cost, in units of 0.0001 credit, as the balance shows it. */
export interface Charged {
  readonly answer: Exchange
  readonly units: number
}

/** Units of 0.0001 credit in a balance, given as a number or as decimal text; undefined for anything else. */
export function unitsOf(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
  if (!isText && typeof value !== 'number') return undefined
  // To a hundredth of a unit: a double of a large balance holds no more.
  return Math.round(Number(value) * UNITS_PER_CREDIT * 100) / 100
}

/** Credits for a reader, without trailing zeros. */
export function inCredits(units: number): string {
  return `${Number((units / UNITS_PER_CREDIT).toFixed(6))} credits`
}

/** The value that a JSON pointer (RFC 6901) leads to. */
export function follow(json: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1)
  return at(json, ...steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')))
}

/**
 * Sends a request on the funded key and says what the declared balance endpoint shows of its charge. An outcome where the
 * balance cannot be read, or changes without a request of ours.
 */
export async function chargeOf(context: CheckContext, ask: () => Promise<Exchange>): Promise<Charged | Outcome> {
  const before = await steadyBalance(context)
  if (typeof before !== 'number') return before
  const answer = await ask()
  for (const waitMs of expect.served(answer) ? WAITS_MS : WAITS_MS.slice(0, 1)) {
    if (waitMs > 0) await context.wait(waitMs)
    const now = await readBalance(context)
    if (typeof now !== 'number') return now
    if (now !== before) break
  }
  const after = await steadyBalance(context)
  return typeof after === 'number' ? { answer, units: Math.round((before - after) * 100) / 100 } : after
}

/** True for what `chargeOf` gives instead of a charge. */
export function isOutcome(value: Charged | Outcome): value is Outcome {
  return 'verdict' in value
}

async function steadyBalance(context: CheckContext): Promise<number | Outcome> {
  let last = await readBalance(context)
  for (let reads = 1; reads < MOST_READS; reads += 1) {
    if (typeof last !== 'number') return last
    const next = await readBalance(context)
    if (next === last) return next
    last = next
  }
  return expect.notTestable(
    'the balance changes without a request of this check: give --key of an account that nothing else uses',
  )
}

async function readBalance({ declared, keys, send }: CheckContext): Promise<number | Outcome> {
  const { path = '', pointer = '' } = declared.balance ?? {}
  const answer = await send({ method: 'GET', path, headers: { authorization: `Bearer ${keys.funded}` } })
  if (!expect.served(answer)) {
    return expect.notTestable(`the balance at ${path} cannot be read: the target ${expect.answered(answer)}`)
  }
  const value = follow(answer.json, pointer)
  return (
    unitsOf(value) ??
    expect.notTestable(`the balance at ${path} has no number of credits at ${pointer}, but ${show(value)}`)
  )
}

/** Prompt and completion tokens of an answer, from its usage; undefined where it tells none. */
export function tokensOf({ json }: Exchange): { readonly prompt: number; readonly completion: number } | undefined {
  const prompt = at(json, 'usage', 'prompt_tokens')
  const completion = at(json, 'usage', 'completion_tokens')
  return isCount(prompt) && isCount(completion) ? { prompt: Number(prompt), completion: Number(completion) } : undefined
}
