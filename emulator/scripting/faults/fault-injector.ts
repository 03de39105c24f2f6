import { createHash } from 'node:crypto'
import type { ApiError } from '../../core/api-errors.ts'
import type { FaultProvider, SelectedFault, ValidRequest } from '../../core/services.ts'
import { createSeededRandom } from '../../state/seeded-random.ts'
import type { ModelCatalog } from '../../state/model-catalog.ts'
import { RequestCounter } from '../../state/request-counter.ts'
import type { ResponseWriter } from '../../core/response-writer.ts'
import { createFault, isApplicable } from './inject-fault.ts'
import { parseFaultRuleText, parseFaultRules } from './parse-fault-rule.ts'
import type { FaultInput, FaultRule } from './fault-rule.ts'
import { InvalidOptionError } from '../../options/invalid-option-error.ts'

export const MAX_FAULT_RULES = 1000

/**
 * Maximum number of header rules whose counters are stored. Beyond it, the counters of the least recently used rule
 * restart at 0.
 */
const MAX_HEADER_RULES = 1024

export interface FaultState {
  /** `fault-1`, `fault-2` and so on. For a rule in a request header, the name of the header. */
  readonly id: string
  readonly rule: FaultRule
  /** True for a rule given at startup. A reset keeps it and sets its counters to 0. */
  readonly isInitial: boolean
  enabled: boolean
  /** Number of requests that met the conditions of the rule while it was enabled. */
  matched: number
  /** Number of requests into which this rule injected its fault. */
  used: number
}

/**
 * Selects the fault for each request. The first rule that applies injects its fault; later rules only count their
 * matches.
 */
export class FaultInjector implements FaultProvider {
  readonly #seed: number
  readonly #models: ModelCatalog
  readonly #allowsHeader: boolean
  #rules: FaultState[] = []
  readonly #headerRules = new Map<string, FaultState>()
  readonly #counter = new RequestCounter()
  readonly #responses = new Set<ResponseWriter>()
  #port: Pick<FaultProvider, 'refuseConnections'> | undefined
  #lastId = 0

  /**
   * Creates an injector with the rules given at startup.
   * @param initial rules that a reset keeps
   * @param allowsHeader true if requests may contain a rule in the header `x-touchstone-fault`
   * @throws InvalidOptionError if a rule is invalid
   */
  constructor(seed: number, models: ModelCatalog, initial: readonly FaultInput[] = [], allowsHeader = false) {
    this.#seed = seed
    this.#models = models
    this.#allowsHeader = allowsHeader
    this.#append(this.#parseOrThrow(initial), true)
  }

  /**
   * Parses a rule or a list of rules. Checks that the emulator serves the models to which the rules apply.
   * @returns the rules, or a sentence that describes the error
   */
  parse(value: unknown): readonly FaultRule[] | string {
    const rules = parseFaultRules(value)
    return typeof rules === 'string' ? rules : (this.#findUnknownModel(rules) ?? rules)
  }

  list(): readonly FaultState[] {
    return this.#rules
  }

  /**
   * Parses rules and appends them to the existing rules.
   * @returns undefined, without adding any, if there would be more than MAX_FAULT_RULES
   * @throws InvalidOptionError if a rule is invalid
   */
  addInputs(inputs: readonly FaultInput[]): readonly FaultState[] | undefined {
    return this.add(this.#parseOrThrow(inputs))
  }

  /**
   * Appends rules to the existing rules.
   * @returns the added rules; undefined, without adding any, if there would be more than MAX_FAULT_RULES
   */
  add(rules: readonly FaultRule[]): readonly FaultState[] | undefined {
    if (this.#rules.length + rules.length > MAX_FAULT_RULES) return undefined
    return this.#append(rules, false)
  }

  find(id: string): FaultState | undefined {
    return this.#rules.find((state) => state.id === id)
  }

  /**
   * Removes the rule with this id.
   * @returns false if no rule has this id
   */
  remove(id: string): boolean {
    const before = this.#rules.length
    this.#rules = this.#rules.filter((state) => state.id !== id)
    return this.#rules.length < before
  }

  clear(): void {
    this.#rules = []
    this.#headerRules.clear()
  }

  /** Removes added rules, and sets the counters of the initial rules to 0. */
  reset(): void {
    this.#rules = this.#rules.filter((state) => state.isInitial)
    for (const state of this.#rules) Object.assign(state, { enabled: true, matched: 0, used: 0 })
    this.#headerRules.clear()
    this.#counter.clear()
  }

  /**
   * Selects the fault for a valid request and increments its use count.
   * @returns undefined if no rule applies, or an error (400) if the fault header of the request is invalid
   */
  selectFault(request: ValidRequest): SelectedFault | ApiError | undefined {
    const text = this.#allowsHeader ? request.headers['x-touchstone-fault'] : undefined
    let chosen: FaultState | undefined
    if (typeof text === 'string') {
      const state = this.#ruleFromHeader(request, text)
      if (typeof state === 'string') {
        return { code: 'malformed-request', message: `The header x-touchstone-fault is invalid. ${state}` }
      }
      if (this.#countAndSelect(state, request)) chosen = state
    }
    // Every rule counts its matches, even if an earlier rule applies. `ordinal=3` therefore always selects the third
    // matching request.
    for (const state of this.#rules) {
      if (state.enabled && this.#countAndSelect(state, request)) chosen ??= state
    }
    if (chosen === undefined) return undefined
    chosen.used += 1
    return createFault(chosen.id, chosen.rule)
  }

  /** Makes the port refuse new connections for this time, in milliseconds. Without a port, has no effect. */
  refuseConnections(ms: number): void {
    this.#port?.refuseConnections(ms)
  }

  setPort(port: Pick<FaultProvider, 'refuseConnections'>): void {
    this.#port = port
  }

  trackResponse(writer: ResponseWriter): void {
    if (writer.isClosed()) return
    this.#responses.add(writer)
    writer.onClose(() => this.#responses.delete(writer))
  }

  /**
   * Aborts all responses with an injected fault. A stalled response would otherwise delay the closing of the emulator
   * up to the drain limit.
   */
  abortResponses(): void {
    for (const writer of this.#responses) writer.abort()
  }

  /** Counts the request if it meets the conditions of the rule. Returns true if the rule also selects it. */
  #countAndSelect(state: FaultState, request: ValidRequest): boolean {
    const { rule } = state
    if (!matchesFaultRule(rule, request)) return false
    state.matched += 1
    const { ordinal, after = 0, every = 1, times = Infinity, probability } = rule
    const isInShare = probability === undefined || this.#randomFor(state, request) < probability
    const position = state.matched - after
    if (position < 1 || position % every !== 0 || state.used >= times) return false
    return isInShare && (ordinal === undefined || state.matched === ordinal)
  }

  /**
   * Returns a random number from 0 to 1. It depends on the seed, the rule, the account, the request and the number of
   * earlier identical requests, but not on concurrent requests.
   */
  #randomFor({ id }: FaultState, { account, work }: ValidRequest): number {
    const subject = `${id} ${work.fingerprint}`
    return createSeededRandom(
      this.#seed,
      `fault ${account.id} ${subject}`,
      this.#counter.next(account.id, subject),
    ).next()
  }

  /**
   * Parses the rule in a request header. Returns its state, or a sentence that describes the error. Keeps separate
   * counters per account and request, because a client sends the same header again when it retries.
   */
  #ruleFromHeader({ account, work }: ValidRequest, text: string): FaultState | string {
    const subject = createHash('sha256').update(`${account.id}\n${text}\n${work.fingerprint}`).digest('base64')
    const existing = this.#headerRules.get(subject)
    const rule = existing?.rule ?? parseFaultRuleText(text)
    if (typeof rule === 'string') return rule
    const unknown = this.#findUnknownModel([rule])
    if (unknown !== undefined) return unknown
    const state = existing ?? { id: 'x-touchstone-fault', rule, isInitial: false, enabled: true, matched: 0, used: 0 }
    this.#headerRules.delete(subject) // Reinserts the entry, so that the map is ordered by last use.
    this.#headerRules.set(subject, state)
    if (this.#headerRules.size > MAX_HEADER_RULES) {
      const oldest = this.#headerRules.keys().next()
      if (!oldest.done) this.#headerRules.delete(oldest.value)
    }
    return state
  }

  #findUnknownModel(rules: readonly FaultRule[]): string | undefined {
    const unknown = rules.find(({ model }) => model !== undefined && !this.#models.has(model))
    return unknown === undefined ? undefined : `"model" of a fault must be a model ID, not "${unknown.model}".`
  }

  #parseOrThrow(inputs: readonly FaultInput[]): readonly FaultRule[] {
    const rules = this.parse(inputs)
    if (typeof rules !== 'string') return rules
    throw new InvalidOptionError({ reason: 'invalid-value', option: 'faults', expected: rules })
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

/** Returns true if the request meets the conditions of the rule, regardless of the rule's counters. */
export function matchesFaultRule(rule: FaultRule, request: ValidRequest): boolean {
  const { account, work, headers } = request
  if (rule.account !== undefined && rule.account !== account.id) return false
  if (rule.key !== undefined && rule.key !== account.key) return false
  if (rule.operation !== undefined && rule.operation !== work.operation) return false
  if (rule.model !== undefined && rule.model !== work.model) return false
  if (rule.header !== undefined && !hasHeader(headers, rule.header)) return false
  return isApplicable(rule, request)
}

/**
 * Returns true if a request has a header field.
 * @param condition `name` or `name: value`
 */
function hasHeader(headers: ValidRequest['headers'], condition: string): boolean {
  const colon = condition.indexOf(':')
  const name = (colon === -1 ? condition : condition.slice(0, colon)).toLowerCase()
  const found = headers[name]
  if (found === undefined || colon === -1) return found !== undefined
  return [found].flat().includes(condition.slice(colon + 1).trim())
}

/** Methods that manage the fault rules of an in-process emulator. */
export interface FaultsHandle {
  /**
   * Appends a rule to the existing rules.
   * @returns a live view of the rule and its counters
   * @throws InvalidOptionError if the rule is invalid
   */
  add(rule: FaultInput): Readonly<FaultState>
  list(): readonly Readonly<FaultState>[]
  clear(): void
}

export function createFaultsHandle(faults: FaultInjector): FaultsHandle {
  return {
    add(rule) {
      const [added] = faults.addInputs([rule]) ?? []
      if (added === undefined) throw new Error(`There can be at most ${MAX_FAULT_RULES} faults.`)
      return added
    },
    list: () => faults.list(),
    clear: () => faults.clear(),
  }
}
