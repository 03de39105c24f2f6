import { createHash } from 'node:crypto'
import type { ApiError } from '../../core/api-errors.ts'
import type { ValidRequest } from '../../core/validate.ts'
import { createSeededRandom } from '../../state/seeded-random.ts'
import { RequestCounter } from '../../state/request-counter.ts'
import type { ResponseWriter } from '../../core/response-writer.ts'
import { parseRuleText, parseRules } from './parse-fault-rule.ts'
import { type FaultRule, requiresStream } from './fault-rule.ts'
import { InvalidOptionError } from '../../options/invalid-option-error.ts'

/** Most rules at once. */
export const MAX_FAULT_RULES = 1000

/** Header rules whose counts are kept; past it the one not seen for longest starts anew. */
const MAX_HEADER_RULES = 1024

/** A rule with its use. */
export interface FaultState {
  /** `fault-1`, `fault-2`, … in the order of adding; for that of a request its header's name. */
  readonly id: string
  readonly rule: FaultRule
  /** Given at the start: a reset of the emulator keeps it, with its counts at 0. */
  readonly isInitial: boolean
  enabled: boolean
  /** Requests that matched while the rule was switched on. */
  matched: number
  /** Requests that were disturbed. */
  used: number
}

/** A rule that a request has met. */
export type Fault = Pick<FaultState, 'id' | 'rule'>

/** The script of faults. Rules are tried in order, and the first that takes a request is the only one for it. */
export class FaultInjector {
  readonly #seed: number
  readonly #allowsHeader: boolean
  #rules: FaultState[] = []
  readonly #headerRules = new Map<string, FaultState>()
  readonly #ordinals = new RequestCounter()
  readonly #sinks = new Set<ResponseWriter>()
  #lastId = 0

  /** `lasting`: the rules given at the start. `allowsHeader`: whether requests may bring their own. */
  constructor(seed: number, lasting: readonly FaultRule[] = [], allowsHeader = false) {
    this.#seed = seed
    this.#allowsHeader = allowsHeader
    this.#append(lasting, true)
  }

  list(): readonly FaultState[] {
    return this.#rules
  }

  /** Adds rules after those that are there. @returns undefined, and adds none, when there would be more than MOST_RULES */
  add(rules: readonly FaultRule[]): readonly FaultState[] | undefined {
    if (this.#rules.length + rules.length > MAX_FAULT_RULES) return undefined
    return this.#append(rules, false)
  }

  find(id: string): FaultState | undefined {
    return this.#rules.find((state) => state.id === id)
  }

  /** Takes one rule away. @returns false when there is none of that ID */
  remove(id: string): boolean {
    const before = this.#rules.length
    this.#rules = this.#rules.filter((state) => state.id !== id)
    return this.#rules.length < before
  }

  clear(): void {
    this.#rules = []
    this.#headerRules.clear()
  }

  /** Back to the rules of the start, none of them used. */
  reset(): void {
    this.#rules = this.#rules.filter((state) => state.isInitial)
    for (const state of this.#rules) Object.assign(state, { enabled: true, matched: 0, used: 0 })
    this.#headerRules.clear()
    this.#ordinals.clear()
  }

  /**
   * The fault that a valid request meets, counted as used; undefined for none.
   * @returns the refusal with which a request leaves that brings a rule of its own which cannot be read: 400
   */
  selectFault(request: ValidRequest): Fault | ApiError | undefined {
    const text = this.#allowsHeader ? request.headers['x-touchstone-fault'] : undefined
    let chosen: FaultState | undefined
    if (typeof text === 'string') {
      const state = this.#ruleFromHeader(request, text)
      if (typeof state === 'string') {
        return { code: 'malformed-request', message: `The header x-touchstone-fault cannot be used. ${state}` }
      }
      if (this.#countAndSelect(state, request)) chosen = state
    }
    // Each counts what matches it, also when one before takes it: `ordinal=3` means the third request that it describes.
    for (const state of this.#rules) {
      if (state.enabled && this.#countAndSelect(state, request)) chosen ??= state
    }
    if (chosen !== undefined) chosen.used += 1
    return chosen
  }

  /** Remembers where a disturbed answer goes until it is over: it may never be. */
  trackResponse(sink: ResponseWriter): void {
    if (sink.isClosed()) return
    this.#sinks.add(sink)
    sink.onClose(() => this.#sinks.delete(sink))
  }

  /** Breaks off all disturbed answers under way, so that the emulator can close. */
  abortResponses(): void {
    for (const sink of this.#sinks) sink.abort()
  }

  /** Counts the request if it matches, and tells whether it is one of those that the rule disturbs. */
  #countAndSelect(state: FaultState, request: ValidRequest): boolean {
    const { rule } = state
    if (!matchesRule(rule, request)) return false
    state.matched += 1
    const { ordinal, after = 0, every = 1, times = Infinity, probability } = rule
    const drawn = probability === undefined || this.#randomFor(state, request) < probability
    const place = state.matched - after
    if (place < 1 || place % every !== 0 || state.used >= times) return false
    return drawn && (ordinal === undefined || state.matched === ordinal)
  }

  /** From 0 to 1 by seed, rule, account, request and how often it came: whatever runs beside it, the same ones are hit. */
  #randomFor({ id }: FaultState, { account, work }: ValidRequest): number {
    const subject = `${id} ${work.fingerprint}`
    return createSeededRandom(
      this.#seed,
      `fault ${account.id} ${subject}`,
      this.#ordinals.next(account.id, subject),
    ).next()
  }

  /** Counts for each account and each different request apart: a client that tries again sends the same header again. */
  #ruleFromHeader({ account, work }: ValidRequest, text: string): FaultState | string {
    const subject = createHash('sha256').update(`${account.id}\n${text}\n${work.fingerprint}`).digest('base64')
    const known = this.#headerRules.get(subject)
    const rule = known?.rule ?? parseRuleText(text)
    if (typeof rule === 'string') return rule
    const state = known ?? { id: 'x-touchstone-fault', rule, isInitial: false, enabled: true, matched: 0, used: 0 }
    this.#headerRules.delete(subject) // inserted anew, so that the map's order is the order of last use
    this.#headerRules.set(subject, state)
    if (this.#headerRules.size > MAX_HEADER_RULES) {
      const oldest = this.#headerRules.keys().next()
      if (!oldest.done) this.#headerRules.delete(oldest.value)
    }
    return state
  }

  #append(rules: readonly FaultRule[], isInitial: boolean): readonly FaultState[] {
    const states = rules.map((rule) => {
      this.#lastId += 1
      return { id: `fault-${this.#lastId}`, rule, isInitial, enabled: true, matched: 0, used: 0 }
    })
    this.#rules.push(...states)
    return states
  }
}

/** Tells whether a rule is for this request, whatever came before. */
export function matchesRule(rule: FaultRule, { account, work, fields, headers }: ValidRequest): boolean {
  if (rule.account !== undefined && rule.account !== account.id) return false
  if (rule.key !== undefined && rule.key !== account.key) return false
  if (rule.operation !== undefined && rule.operation !== work.operation) return false
  if (rule.model !== undefined && rule.model !== work.model) return false
  if (rule.header !== undefined && !hasHeader(headers, rule.header)) return false
  return !requiresStream(rule) || (work.operation === 'chat' && fields.values['stream'] === true)
}

/** `wanted` is `name` or `name: value`. */
function hasHeader(headers: ValidRequest['headers'], wanted: string): boolean {
  const colon = wanted.indexOf(':')
  const name = (colon === -1 ? wanted : wanted.slice(0, colon)).toLowerCase()
  const found = headers[name]
  if (found === undefined || colon === -1) return found !== undefined
  return [found].flat().includes(wanted.slice(colon + 1).trim())
}

/** A rule of a fault script, or the same as in a flag: `operation=chat,times=2,status=500`. */
export type FaultInput = FaultRule | string

/** What the process that an emulator runs in can do with its faults. */
export interface FaultsHandle {
  /** Adds a rule after those that are there. @returns its use so far, which goes on. @throws when it cannot be read */
  add(rule: FaultInput): Readonly<FaultState>
  list(): readonly Readonly<FaultState>[]
  clear(): void
}

/** The handle of a script. */
export function createFaultsHandle(faults: FaultInjector): FaultsHandle {
  return {
    add(rule) {
      const [added] = faults.add(parseFaultInputs([rule])) ?? []
      if (added === undefined) throw new Error(`There can be ${MAX_FAULT_RULES} faults at most.`)
      return added
    },
    list: () => faults.list(),
    clear: () => faults.clear(),
  }
}

/** Reads rules as a program gives them. @throws InvalidOptionError */
export function parseFaultInputs(given: readonly FaultInput[]): readonly FaultRule[] {
  const rules = parseRules(given)
  if (typeof rules === 'string')
    throw new InvalidOptionError({ reason: 'invalid-value', option: 'faults', expected: rules })
  return rules
}
