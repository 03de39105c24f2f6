import { findSimilarName } from '../../common/text-similarity.ts'
import { SECTION_KEYWORDS } from '../../contract/sections.ts'
import type { NotPlannedEntry } from '../../reports/conformance-document.ts'
import { formatLibraryOption, type OptionNameFormatter } from '../options/table-options.ts'
import type { Declarations } from '../targets/declarations.ts'
import type { ObservedValue } from '../findings/observed-value.ts'
import { OPTION_TABLE, type OptionalPart } from '../options/option-table.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import { type AnyCheck, isSummaryCheck, type PlannedCheck } from './check.ts'
import { matchesSelector } from './known-failures.ts'
import { type ModelCatalog, SPECIFIED_MODELS } from './model-catalog.ts'
import { listOperationsRequiringModel } from './run-check.ts'
import type { Suite } from './settings.ts'

/** Checks of a run. `planned` has the order of the specification, not of execution. */
export interface Plan {
  readonly planned: readonly PlannedCheck[]
  readonly notPlanned: readonly NotPlannedEntry[]
  /** Breakdown checks outside the selection. The document includes them only if they find a breakdown. */
  readonly watched?: readonly PlannedCheck[]
}

/** ID of the requirement of all breakdown checks. As a selector, it selects these checks for all operations. */
const BREAKDOWN_REQUIREMENT = '7/500'
const FLAKES = '7/flakes'

interface Choice {
  readonly only: readonly string[]
  readonly skip: readonly string[]
  readonly sdk?: boolean
  readonly agents?: boolean
  readonly nameOption?: OptionNameFormatter
  readonly declarations?: Declarations
  readonly limitedBurst?: number | undefined
  /** Models of the target. Default: the models of the specification. */
  readonly catalog?: ModelCatalog
  /** Optional parts of the specification that the target does not offer. */
  readonly without?: readonly OptionalPart[]
  /** Declarations of the owner, by check ID. */
  readonly declared?: Readonly<Record<string, ObservedValue>>
  /** Selectors of the checks that may be not testable. Each selector must match a check of the suite. */
  readonly accepted?: readonly string[]
}

/** Pairs checks with their requirements, and selects some. Throws an InvalidOptionError for an unknown selector. */
export function planRun(suite: Suite, choice: Choice): Plan {
  const all = withDeclared(pairUp(suite), choice.declared ?? {})
  for (const selector of [...choice.only, ...choice.skip, ...(choice.accepted ?? [])]) requireMatch(all, selector)
  const planned: PlannedCheck[] = []
  const notPlanned: NotPlannedEntry[] = []
  for (const entry of all) {
    const omission = findOmission(entry, choice)
    if (omission === undefined) planned.push(withCost(entry, choice))
    else notPlanned.push({ id: entry.check.id, ...omission })
  }
  const excluded = new Set(notPlanned.filter(({ code }) => code === 'not-selected').map(({ id }) => id))
  const sent = new Set(planned.flatMap(({ check }) => (isSummaryCheck(check) ? [] : [check.operation])))
  const watched = all.filter(
    (entry) =>
      excluded.has(entry.check.id) &&
      entry.requirement.id === BREAKDOWN_REQUIREMENT &&
      isSummaryCheck(entry.check) &&
      (sent.has(entry.check.operation) || (entry.check.id === FLAKES && sent.size > 0)) &&
      !choice.skip.some((selector) => matches(entry, selector)),
  )
  return { planned, notPlanned, ...(watched.length === 0 ? {} : { watched }) }
}

function withCost(
  entry: PlannedCheck,
  { declarations = {}, limitedBurst = OPTION_TABLE.limitedBurst.default, catalog = SPECIFIED_MODELS }: Choice,
): PlannedCheck {
  const cost = entry.check.costWith?.({ declarations, limitedBurst, catalog })
  return cost === undefined ? entry : { ...entry, check: { ...entry.check, cost } }
}

/** Returns why a run does not include a check. Returns undefined if it does. */
function findOmission(entry: PlannedCheck, choice: Choice): Omit<NotPlannedEntry, 'id'> | undefined {
  const { check } = entry
  const { nameOption: name = formatLibraryOption, only, skip, without = [], declarations = {}, catalog } = choice
  const isSelectedBy = (selector: string): boolean => matches(entry, selector)
  if (only.length > 0 && !only.some(isSelectedBy))
    return { reason: `not selected by ${name('only')}`, code: 'not-selected' }
  if (skip.some(isSelectedBy)) return { reason: `excluded by ${name('skip')}`, code: 'skipped' }
  if (check.group !== undefined && choice[check.group] !== true)
    return { reason: `only with ${name(check.group)}`, code: 'not-requested' }
  const missing = listParts(check).find((part) => without.includes(part))
  if (missing !== undefined) return { reason: describeMissingPart(missing), code: 'not-offered' }
  if (check.specifiedModels === true && catalog?.origin === 'declared')
    return { reason: 'about the models of §2.1 Model; the target has its own', code: 'other-models' }
  return check.declaration !== undefined && declarations[check.declaration] === undefined
    ? { reason: `only with the field ${check.declaration} in a target file`, code: 'not-declared' }
    : undefined
}

function describeMissingPart(part: OptionalPart): string {
  const names: Partial<Record<OptionalPart, string>> = {
    authentication: 'keys',
    credits: 'credits',
    'rate-limit': 'rate limit',
  }
  return names[part] === undefined ? `the target does not offer ${part}` : `the target has no ${names[part]}`
}

function listParts({ operation, needs, declaration }: AnyCheck): readonly OptionalPart[] {
  const isAboutCredits =
    needs.includes('no-credits') ||
    needs.includes('small') ||
    declaration === 'balance' ||
    declaration === 'smallBalance'
  return [
    operation,
    ...listOperationsRequiringModel(needs),
    ...(isAboutCredits ? ['credits' as const] : []),
    ...(needs.includes('limited') ? ['rate-limit' as const] : []),
  ]
}

/** Returns whether a selector is the name of a group, or selects a check as in {@link matchesSelector}. */
function matches({ check, requirement }: PlannedCheck, selector: string): boolean {
  if (check.group === selector) return true
  return matchesSelector(selector, { id: check.id, requirement: requirement.id, section: requirement.section })
}

/** Returns the ID or section that is most similar to an unknown selector, such as `chat` for `chatstream`. */
export function suggestSelector(selector: string, ids: readonly string[]): string | undefined {
  const word = selector.toLowerCase()
  return findSimilarName(word, [...ids, ...SECTION_KEYWORDS]) ?? SECTION_KEYWORDS.find((name) => word.startsWith(name))
}

/** @throws InvalidOptionError if the selector matches no check of the suite */
function requireMatch(all: readonly PlannedCheck[], selector: string): void {
  if (all.some((entry) => matches(entry, selector))) return
  const ids = all.flatMap(({ check, requirement }) => [check.id, requirement.id])
  const suggestion = suggestSelector(selector, ids)
  throw new InvalidOptionError({ reason: 'unknown-check', value: selector, example: ids[0] ?? '5', suggestion })
}

/** Adds the declarations of the owner. Throws an InvalidOptionError for an ID of no unspecified behaviour. */
function withDeclared(
  all: readonly PlannedCheck[],
  behaviors: Readonly<Record<string, ObservedValue>>,
): PlannedCheck[] {
  for (const id of Object.keys(behaviors)) {
    const level = all.find(({ check }) => check.id === id)?.requirement.level
    if (level !== 'unspecified') throw new InvalidOptionError({ reason: 'unknown-observation', value: id })
  }
  return all.map((entry) => {
    const declared = behaviors[entry.check.id]
    return declared === undefined ? entry : { ...entry, declared }
  })
}

/** Pairs each check with its requirement, in their order. Throws for a duplicate ID or an unknown requirement. */
function pairUp({ requirements, checks }: Suite): PlannedCheck[] {
  const byRequirement = Map.groupBy(checks, ({ requirement }) => requirement)
  const requirementIds = new Set(requirements.map(({ id }) => id))
  if (new Set(checks.map(({ id }) => id)).size < checks.length || requirementIds.size < requirements.length) {
    throw new Error('Two checks or two requirements have the same ID.')
  }
  const orphan = checks.find(({ requirement }) => !requirementIds.has(requirement))
  if (orphan !== undefined) {
    throw new Error(`The check ${orphan.id} names the requirement ${orphan.requirement}, which does not exist.`)
  }
  return requirements.flatMap((requirement) =>
    (byRequirement.get(requirement.id) ?? []).map((check) => ({ check, requirement })),
  )
}
