import { SPEC_SHA256 } from '../../contract/facts.ts'
import type {
  BudgetEntry,
  CauseEntry,
  CheckEntry,
  ConformanceDocument,
  RequirementEntry,
  TargetEntry,
} from '../../reports/conformance-document.ts'
import type { Target } from '../targets/target.ts'
import { roundMs } from '../evidence/describe-exchange.ts'
import { findCauses } from '../outcomes/causes/find-causes.ts'
import type { Outcome } from '../outcomes/outcome.ts'
import { sentencesOf } from '../outcomes/sentences/sentences.ts'
import { keySuffix } from '../evidence/secrets.ts'
import { applyListedChecks } from './known-failures.ts'
import { type CheckResult, resultWithout } from './run-check.ts'
import type { RunFindings } from './run-engine.ts'
import type { Plan } from './plan.ts'
import { createMask } from './session.ts'
import type { RunSettings, Suite } from './settings.ts'
import { summarise, verdictOf } from './verdict.ts'

/** Input of a run's document. */
export interface RunRecord {
  readonly toolVersion: string
  readonly suite: Suite
  readonly settings: RunSettings
  readonly plan: Plan
  readonly results: readonly CheckResult[]
  /** Undefined when the engine failed. */
  readonly facts: RunFindings | undefined
  readonly startedAt: Date
  readonly durationMs: number
  readonly isStrict: boolean
  /** True if a person or the time limit ended the run early. */
  readonly isAborted: boolean
  /** Outcome of planned checks without a result. */
  readonly missing: Outcome
}

/** Builds the document of a run. It has exactly one entry for every planned check, in the order of the plan. */
export function buildDocument(record: RunRecord): ConformanceDocument {
  const { settings, plan, facts } = record
  const results = resultsAsPlanned(record)
  const entries = results.map(({ entry }) => entry)
  const { checks, problems } = applyListedChecks(entries, settings, allIdsOf(record.suite))
  const budgets = facts?.budgets ?? []
  const remarks = [
    ...(facts?.hint === undefined ? [] : [facts.hint]),
    ...(record.isAborted ? [sentencesOf(record.missing).actual] : []),
    ...problems,
    ...budgets.flatMap(remarkOn),
  ]
  const other = {
    isBroken: problems.length > 0 || budgets.some(({ verdict }) => verdict === 'broken'),
    isIncomplete: record.isAborted || budgets.some(({ verdict }) => verdict === 'insufficient samples'),
  }
  const { only, skip } = settings
  return {
    schemaVersion: 1.2,
    kind: 'conformance',
    tool: { name: 'touchstone', version: record.toolVersion },
    spec: { sha256: SPEC_SHA256 },
    target: targetEntry(settings.target, facts),
    startedAt: record.startedAt.toISOString(),
    durationMs: roundMs(record.durationMs),
    verdict: verdictOf(checks, record.isStrict, other),
    strict: record.isStrict,
    selection: only.length + skip.length === 0 ? null : { only, skip },
    summary: summarise(checks),
    spent: facts?.spent ?? { requests: 0, creditsUpperBound: null, creditsKnown: null },
    requirements: requirementEntries(record.suite),
    checks,
    causes: causesOf(record, results, checks),
    notPlanned: plan.notPlanned,
    latency: facts?.latency ?? [],
    ...(budgets.length === 0 ? {} : { budgets }),
    ...(remarks.length === 0 ? {} : { remarks }),
  }
}

/** Groups the results by cause. `checks` has the entries with their marks, in the order of the results. */
function causesOf(
  { plan, settings }: RunRecord,
  results: readonly CheckResult[],
  checks: readonly CheckEntry[],
): CauseEntry[] {
  const mask = createMask(settings)
  const operations = new Map(plan.planned.map(({ check }) => [check.id, check.operation]))
  const findings = results.flatMap(({ outcome }, index) => {
    const entry = checks[index]
    const operation = entry === undefined ? undefined : operations.get(entry.id)
    return entry === undefined || operation === undefined ? [] : [{ entry, operation, outcome }]
  })
  return findCauses(findings).map((cause) => ({ ...cause, title: mask.mask(cause.title) }))
}

/** Lists a requirement with the checks that name it, or with the reason why it has none. */
function requirementEntries({ requirements, checks }: Suite): RequirementEntry[] {
  const byRequirement = Map.groupBy(checks, ({ requirement }) => requirement)
  return requirements.map(({ excluded, ...row }) => {
    const ids = (byRequirement.get(row.id) ?? []).map(({ id }) => id)
    return excluded === undefined ? { ...row, checks: ids } : { ...row, excluded }
  })
}

function allIdsOf({ checks }: Suite): ReadonlySet<string> {
  return new Set(checks.map(({ id }) => id))
}

/** Describes a broken budget; undefined for one that was met. */
function remarkOn({ metric, statistic, limit, unit, actual, n, needed, verdict }: BudgetEntry): string[] {
  const name = `${metric}.${statistic}<=${limit}${unit}`
  switch (verdict) {
    case 'within':
      return []
    case 'broken':
      return [`The budget ${name} is broken: ${actual} ${unit} over ${counted(n, 'sample')}.`]
    case 'insufficient samples':
      return [
        `The budget ${name} has insufficient samples: ${n} of the ${needed} that ${statistic} needs; give more with --samples.`,
      ]
  }
}

function counted(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}

/**
 * Ensures one result for each planned id. Fills a missing result with the reason; reports an unplanned or repeated
 * result as a defect of the suite.
 */
function resultsAsPlanned({ settings, plan, results, missing }: RunRecord): CheckResult[] {
  const mask = createMask(settings)
  const byId = new Map(results.map((result) => [result.entry.id, result]))
  const planned = new Set(plan.planned.map(({ check }) => check.id))
  const stray = results.find(({ entry }) => !planned.has(entry.id))?.entry
  if (stray !== undefined || byId.size < results.length) {
    throw new Error(
      `Checks were emitted that were not planned, or twice${stray === undefined ? '' : ` (${stray.id})`}.`,
    )
  }
  return plan.planned.map((one) => byId.get(one.check.id) ?? resultWithout(one, missing, mask))
}

function targetEntry(target: Target, facts: RunFindings | undefined): TargetEntry {
  const keys = Object.entries(target.keys).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return {
    url: target.url,
    baseUrl: target.baseUrl,
    embedded: target.embedded,
    keys: Object.fromEntries(keys.map(([role, key]) => [role, keySuffix(key)])),
    models: facts?.models ?? {},
    ...(facts?.problem === undefined ? {} : { problem: facts.problem }),
  }
}
