import { UNITS_PER_CREDIT } from '../../../contract/facts.ts'
import type { CheckContext } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import { isOutcome, type Outcome } from '../../findings/outcome.ts'
import type { KeyRole } from '../../requests/api-request.ts'
import type { DeclaredBalance } from '../../targets/declarations.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import { getMember, isCount } from './response-access.ts'

/** Pauses before each read of the balance, in milliseconds. A target may charge requests with a delay. */
const WAITS_MS = [0, 200, 800] as const
/** Maximum number of reads to get two equal balances in a row. */
const MAX_READS = 2 * WAITS_MS.length
/** Pause before the read that shows a second charge, in milliseconds, without a declaration. */
const SECOND_CHARGE_WAIT_MS = 300
/** Longest delay of a charge without a declaration, in seconds. */
const USUAL_WAIT_SECONDS = 2
/** Time between two reads of the balance, in milliseconds. */
const READ_GAP_MS = 20
/** Pause before the second read of a run without a declaration, which shows whether earlier requests still cost. */
const FIRST_READ_GAP_MS = 200
/** Maximum number of balance reads for one request: until the balance is stable, and again after each wait. */
export const MAX_READS_PER_CHARGE = (2 + WAITS_MS.length) * MAX_READS

/** A request with its measured charge, in units of 0.0001 credit. */
export interface ChargedRequest {
  readonly response: Exchange
  readonly units: number
  /** Reads of the balance before the request and after its charge. */
  readonly before: Exchange
  readonly after: Exchange
}

/** A read of the balance, with its value in units of 0.0001 credit. */
interface BalanceRead {
  readonly exchange: Exchange
  readonly units: number
}

/**
 * Reads the declared amount, which is a number or decimal text, from a response, and returns it in units of 0.0001 credit.
 * An amount that rises with each charge becomes negative. Returns undefined for other values.
 */
export function readUnits(json: unknown, { pointer, rises = false, factor = 1 }: DeclaredBalance): number | undefined {
  const value = resolvePointer(json, pointer)
  const isText = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
  if (!isText && typeof value !== 'number') return undefined
  // Rounds to a hundredth of a unit, which is the precision of a double for a large balance.
  return (Math.round(Number(value) * factor * UNITS_PER_CREDIT * 100) / 100) * (rises ? -1 : 1)
}

/** Returns the value at a JSON pointer (RFC 6901). */
export function resolvePointer(json: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1)
  return getMember(json, ...steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')))
}

/**
 * Sends a request with the funded key, and measures its charge at the declared balance endpoint.
 * @returns an outcome instead if the balance is unreadable, or changes although the suite sends no request
 */
export async function measureCharge(
  context: CheckContext,
  send: () => Promise<Exchange>,
): Promise<ChargedRequest | Outcome> {
  const before = await steadyBalance(context)
  if (isOutcome(before)) return before
  const response = await send()
  let after: BalanceRead | Outcome = before
  for (const waitMs of expect.isServed(response) ? [...WAITS_MS, longestWaitMs(context)] : WAITS_MS.slice(0, 1)) {
    if (waitMs > 0) await context.wait(waitMs)
    after = await steadyBalance(context, { isFresh: waitMs > 0 })
    if (isOutcome(after)) return after
    if (after.units !== before.units) break
  }
  const units = subtractUnits(before.units, after.units)
  return { response, units, before: before.exchange, after: after.exchange }
}

function longestWaitMs({ declared }: CheckContext): number {
  return 1000 * (declared.balance?.waitSeconds ?? USUAL_WAIT_SECONDS)
}

/** Reads the balance again after a charge. Returns the units that the target has charged since then. */
export async function measureSecondCharge(context: CheckContext, { after }: ChargedRequest): Promise<number | Outcome> {
  const { balance = NO_BALANCE } = context.declared
  await context.wait(balance.waitSeconds === undefined ? SECOND_CHARGE_WAIT_MS : longestWaitMs(context))
  const later = await steadyBalance(context, { isFresh: true })
  const before = balanceOf(after, balance)
  if (isOutcome(later)) return later
  return typeof before === 'number' ? subtractUnits(before, later.units) : before
}

/** Waits until the target has charged all earlier requests, and reads the balance. */
export async function awaitCharges(context: CheckContext): Promise<void> {
  await context.wait(longestWaitMs(context))
  await steadyBalance(context, { isFresh: true })
}

/** Measures the charge of the plain chat with a model, or returns the charge that another check measured. */
export function measurePlainChat(context: CheckContext, model: string): Promise<ChargedRequest | Outcome> {
  return measureOnce(context, `charge of ${model}`, () => context.chat({ model }))
}

/** Measures the charge of a request, or returns the charge that another check measured under the same name. */
export async function measureOnce(
  context: CheckContext,
  name: string,
  send: () => Promise<Exchange>,
): Promise<ChargedRequest | Outcome> {
  let charged: ChargedRequest | Outcome | undefined
  const exchanges = await context.share(name, {
    async send() {
      charged = await measureCharge(context, send)
      return isOutcome(charged) ? [] : [charged.before, charged.response, charged.after]
    },
    isUseful: ([, response]) => response !== undefined && expect.isServed(response),
  })
  if (charged !== undefined) return charged
  const declared = context.declared.balance ?? NO_BALANCE
  const [before, response, after] = exchanges
  const units = [before, after].map((read) => read && balanceOf(read, declared))
  const [first, last] = units
  if (before === undefined || response === undefined || after === undefined) return NO_STEADY_BALANCE
  if (typeof first !== 'number' || typeof last !== 'number') return NO_STEADY_BALANCE
  return { response, units: subtractUnits(first, last), before, after }
}

/** Subtracts balances without the rounding errors of floating-point numbers. */
export function subtractUnits(before: number, after: number): number {
  return Math.round((before - after) * 100) / 100
}

/** Stands for a declaration that the engine requires before these functions run. */
const NO_BALANCE: DeclaredBalance = { path: '', pointer: '' }

const NO_STEADY_BALANCE = expect.markNoEvidence('steady-balance')

/**
 * Reads the balance until two consecutive reads agree. Sends the second read shortly after the first, without waiting
 * for the response.
 * @param options.isFresh whether to read the balance even if the run has sent no request since the last read
 */
async function steadyBalance(context: CheckContext, { isFresh = false } = {}): Promise<BalanceRead | Outcome> {
  const declared = context.declared.balance ?? NO_BALANCE
  const { path, waitSeconds } = declared
  const isFirst = await isFirstOfRun(context)
  const firstGapMs = waitSeconds === undefined ? FIRST_READ_GAP_MS : longestWaitMs(context)
  const read = (): Promise<Exchange> => context.send({ method: 'GET', path, key: 'funded' })
  const readTwice = async (): Promise<readonly Exchange[]> => {
    const second = context.wait(isFirst ? firstGapMs : READ_GAP_MS).then(read)
    return [await read(), await second]
  }
  const valueOf = (response: Exchange): number | Outcome => balanceOf(response, declared)
  const areEqual = (responses: readonly Exchange[]): boolean => {
    const [first, second] = responses.map(valueOf)
    return typeof first === 'number' && first === second
  }
  for (const waitMs of WAITS_MS) {
    if (waitMs > 0) await context.wait(isFirst ? longestWaitMs(context) : waitMs)
    const responses = await context.share('steady balance', {
      send: readTwice,
      isUseful: areEqual,
      untilNextRequest: true,
      isFresh,
    })
    const values = responses.map(valueOf)
    const unreadable = values.find((value) => typeof value !== 'number')
    if (unreadable !== undefined) return unreadable
    const [exchange] = responses
    const [units] = values
    if (exchange !== undefined && typeof units === 'number' && areEqual(responses)) return { exchange, units }
  }
  return NO_STEADY_BALANCE
}

/** Returns whether no other call of this function in the run returned true. */
async function isFirstOfRun({ share }: CheckContext): Promise<boolean> {
  let isFirst = false
  await share('first read of the balance', {
    send: () => {
      isFirst = true
      return Promise.resolve([])
    },
    isUseful: () => true,
  })
  return isFirst
}

export async function readAccountUnits({ send, declared }: CheckContext, key: KeyRole): Promise<number | undefined> {
  const { balance } = declared
  if (balance === undefined || balance.rises === true) return undefined
  const units = balanceOf(await send({ method: 'GET', path: balance.path, key }), balance)
  return typeof units === 'number' ? units : undefined
}

/** Returns the balance of a response in units, or the reason why it contains none. */
function balanceOf(response: Exchange, declared: DeclaredBalance): number | Outcome {
  const { path, pointer } = declared
  if (!expect.isServed(response)) {
    return expect.markNotTestable({
      code: 'balance-unreadable',
      params: { path, ...expect.getResponseParams(response) },
    })
  }
  const value = resolvePointer(response.json, pointer)
  const actual = value === undefined ? {} : { actual: createExcerpt(value) }
  return (
    readUnits(response.json, declared) ??
    expect.markNotTestable({ code: 'balance-not-a-number', params: { path, pointer, ...actual } })
  )
}

/** Returns the prompt and completion tokens from the usage of a response. Returns undefined without usage. */
export function readTokens({
  json,
}: Pick<Exchange, 'json'>): { readonly prompt: number; readonly completion: number } | undefined {
  const prompt = getMember(json, 'usage', 'prompt_tokens')
  const completion = getMember(json, 'usage', 'completion_tokens')
  return isCount(prompt) && isCount(completion) ? { prompt: Number(prompt), completion: Number(completion) } : undefined
}
