import { omitUndefined } from '../../common/json-object.ts'
import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import { KEY_NAMES } from '../options/table-options.ts'
import { SPEC_SHA256 } from '../../contract/facts.ts'
import type {
  BudgetEntry,
  CauseEntry,
  CheckEntry,
  OwnModels,
  ConformanceDocument,
  RequirementEntry,
  TargetEntry,
} from '../../reports/conformance-document.ts'
import { NO_KEY } from '../requests/api-request.ts'
import type { Target } from '../targets/target.ts'
import { roundMs } from '../evidence/describe-exchange.ts'
import { type CheckFinding, findCauses, identifyCause } from '../findings/causes.ts'
import type { Outcome } from '../findings/outcome.ts'
import type { TextOptions } from '../findings/document-fields.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'
import type { RunRemark } from '../findings/run-remark.ts'
import { describeFinding } from '../findings/sentences.ts'
import type { AnyCheck } from './check.ts'
import { applyAcceptedChecks } from './known-failures.ts'
import { nameReportingChecks } from './reporting-checks.ts'
import { type CheckResult, buildSkippedResult } from './run-check.ts'
import type { RunFindings } from './run-engine.ts'
import type { Plan } from './plan.ts'
import { createMask } from './session.ts'
import type { RunSettings, Suite } from './settings.ts'
import { countVerdicts, determineVerdict } from './verdict.ts'

export interface RunRecord {
  readonly toolVersion: string
  readonly suite: Suite
  readonly settings: RunSettings
  readonly plan: Plan
  readonly results: readonly CheckResult[]
  /** Findings about the run as a whole. Undefined if the engine failed. */
  readonly facts: RunFindings | undefined
  readonly startedAt: Date
  readonly durationMs: number
  readonly isStrict: boolean
  /** Reason why the run ended early. Undefined if the run is complete. */
  readonly abortReason: RunObstacle | undefined
  /** Outcome of each planned check without a result. */
  readonly missing: Outcome
}

/** Builds the document of a run, with the planned checks in their order, and breakdowns outside the selection. */
export function buildDocument(record: RunRecord): ConformanceDocument {
  const { settings, plan, facts } = record
  const texts = { mask: createMask(settings), nameOption: settings.nameOption }
  const breakdowns = facts?.breakdowns ?? []
  const planned = checksOf(plan)
  const results = nameReportingChecks([...resultsAsPlanned(record, texts), ...breakdowns], record.suite, planned)
  const entries = results.map(({ entry }) => entry)
  const findings = findingsOf(results, planned)
  const causeIds = new Map(findings.map((finding) => [finding.entry.id, identifyCause(finding)]))
  const { only, skip } = settings
  const { checks, remarks: outdated } = applyAcceptedChecks(
    entries,
    settings,
    identifyChecks(record.suite),
    ({ id }) => causeIds.get(id),
    only.length + skip.length === 0 && record.abortReason === undefined,
  )
  const budgets = facts?.budgets ?? []
  const remarks: readonly RunRemark[] = [
    ...listGiven(facts?.hint),
    ...ownModelsRemark(facts?.ownModels, settings.target),
    ...additionalModelsRemark(facts?.additionalModels ?? 0),
    ...findStreamUsageRemark(results.map(({ outcome }) => outcome)),
    ...rejectedRequestsRemark(record),
    ...listGiven(facts?.endedBy, record.abortReason),
    ...outdated,
    ...budgets.flatMap(remarkOn),
    ...variablesRemark(checks, settings.target),
  ]
  const other = {
    isBroken:
      outdated.some((remark) => failsRun(remark, settings)) || budgets.some(({ verdict }) => verdict === 'broken'),
    isIncomplete: record.abortReason !== undefined || budgets.some(({ verdict }) => verdict === 'insufficient samples'),
  }
  return {
    schemaVersion: 1,
    kind: 'conformance',
    tool: { name: 'touchstone', version: record.toolVersion },
    spec: { sha256: SPEC_SHA256 },
    target: targetEntry(settings.target, facts, texts),
    startedAt: record.startedAt.toISOString(),
    durationMs: roundMs(record.durationMs),
    verdict: determineVerdict(checks, record.isStrict, other),
    strict: record.isStrict,
    selection: only.length + skip.length === 0 ? null : { only, skip },
    summary: countVerdicts(checks),
    spent: facts?.spent ?? { requests: 0, rateLimited: 0, creditsUpperBound: null, creditsKnown: null },
    requirements: requirementEntries(record.suite),
    checks,
    causes: causesOf(findings, checks, texts),
    notPlanned: plan.notPlanned.filter(({ id }) => !breakdowns.some(({ entry }) => entry.id === id)),
    latency: facts?.latency ?? [],
    ...omitUndefined({ budgets: unlessEmpty(budgets) }),
    remarks: remarks.map((remark) => texts.mask.mask(describeFinding(remark, texts.nameOption))),
    remarkFindings: remarks.map(({ code, params }) => ({ code, params: texts.mask.maskJson({ ...params }) })),
  }
}

function findingsOf(results: readonly CheckResult[], planned: ReadonlyMap<string, AnyCheck>): readonly CheckFinding[] {
  return results.flatMap(({ entry, outcome }) => {
    const operation = planned.get(entry.id)?.operation
    return operation === undefined ? [] : [{ entry, operation, outcome }]
  })
}

/** Groups the findings by cause. `checks` contains their entries with known failures already marked. */
function causesOf(
  findings: readonly CheckFinding[],
  checks: readonly CheckEntry[],
  { mask, nameOption }: TextOptions,
): CauseEntry[] {
  const marked = new Map(checks.map((check) => [check.id, check]))
  const all = findings.map((finding) => ({ ...finding, entry: marked.get(finding.entry.id) ?? finding.entry }))
  return findCauses(all, nameOption).map((cause) => ({ ...cause, title: mask.mask(cause.title) }))
}

function checksOf({ planned, watched = [] }: Plan): ReadonlyMap<string, AnyCheck> {
  return new Map([...planned, ...watched].map(({ check }) => [check.id, check]))
}

/** Lists each requirement with the checks that name it, or with the reason why there is no check. */
function requirementEntries({ requirements, checks }: Suite): RequirementEntry[] {
  const byRequirement = Map.groupBy(checks, ({ requirement }) => requirement)
  return requirements.map(({ excluded, ...row }) => {
    const ids = (byRequirement.get(row.id) ?? []).map(({ id }) => id)
    return excluded === undefined ? { ...row, checks: ids } : { ...row, excluded }
  })
}

/** Lists the checks of the suite with the requirements and sections by which lists can select them. */
function identifyChecks({ checks, requirements }: Suite) {
  const sections = new Map(requirements.map(({ id, section }) => [id, section]))
  return checks.map(({ id, requirement }) => ({ id, requirement, section: sections.get(requirement) ?? '' }))
}

function failsRun({ code }: RunRemark, { failOnRepaired }: RunSettings): boolean {
  return code === 'known-failure-unknown' || (failOnRepaired && code === 'known-failures-repaired')
}

/** Returns a remark about the variables in the commands of findings that do not contain the key of the run. */
function variablesRemark(checks: readonly CheckEntry[], { embedded, keys, keyVariables }: Target): RunRemark[] {
  const commands = checks.flatMap(({ verdict, reproduce }) => (isFinding(verdict) ? (reproduce ?? []) : [])).join('\n')
  const unset = KEY_NAMES.filter(({ name }) => {
    const variable = keyVariables[name]
    return commands.match(new RegExp(`\\$\\{?${variable}\\b`)) !== null && process.env[variable] !== keys[name]
  })
  if (embedded || unset.length === 0) return []
  const variables = unset.map(({ name, account }) => ({ variable: keyVariables[name], key: account }))
  return [{ code: 'variables-not-set', params: { variables } }]
}

function isFinding(verdict: CheckEntry['verdict']): boolean {
  return verdict === 'fail' || verdict === 'warn'
}

/** Returns a remark if a check observed a stream without usage, although its request sets `stream_options`. */
export function findStreamUsageRemark(outcomes: readonly Outcome[]): RunRemark[] {
  const isMissing = outcomes.some(({ code, params }) => {
    return code === 'observed-response' && params.seen?.kind === 'stream-usage' && params.seen.usage === 'none'
  })
  return isMissing ? [{ code: 'stream-usage-missing', params: {} }] : []
}

function ownModelsRemark(ownModels: OwnModels | undefined, { notOffered }: Target): RunRemark[] {
  if (ownModels?.origin !== 'listed') return []
  const isWithout = notOffered.length > 0 ? { isWithout: true as const } : {}
  return [{ code: 'own-models', params: { models: ownModels.ids.length, ...isWithout } }]
}

/** Returns a remark about 429s if they did not depend on the rate, or if the run reached its time limit. */
function rejectedRequestsRemark({ facts, abortReason }: RunRecord): RunRemark[] {
  const { requests, rateLimited } = facts?.spent ?? { requests: 0, rateLimited: 0 }
  const isRelevant = facts?.wasRejectedAtAnyRate === true || abortReason?.code === 'time-limit-reached'
  return isRelevant && rateLimited > 0 ? [{ code: 'requests-rate-limited', params: { requests, rateLimited } }] : []
}

function listGiven(...remarks: readonly (RunRemark | undefined)[]): RunRemark[] {
  return remarks.filter((remark) => remark !== undefined)
}

function additionalModelsRemark(models: number): RunRemark[] {
  return models === 0 ? [] : [{ code: 'additional-models', params: { models } }]
}

function unlessEmpty<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items
}

function remarkOn({ metric, statistic, limit, unit, actual, n, needed, verdict }: BudgetEntry): RunRemark[] {
  const budget = { metric, statistic, limit, unit }
  if (verdict === 'within') return []
  return verdict === 'broken'
    ? [{ code: 'budget-broken', params: { ...budget, actual, n } }]
    : [{ code: 'budget-without-samples', params: { ...budget, n, needed } }]
}

/** Returns a result for each planned check. Throws if one is unplanned or duplicate, a defect of the suite. */
function resultsAsPlanned({ plan, results, missing }: RunRecord, texts: TextOptions): CheckResult[] {
  const byId = new Map(results.map((result) => [result.entry.id, result]))
  const planned = new Set(plan.planned.map(({ check }) => check.id))
  const stray = results.find(({ entry }) => !planned.has(entry.id))?.entry
  if (stray !== undefined || byId.size < results.length) {
    throw new Error(`Checks were emitted that were not planned, or twice: ${stray?.id ?? 'duplicates'}.`)
  }
  return plan.planned.map((one) => byId.get(one.check.id) ?? buildSkippedResult(one, missing, texts))
}

function targetEntry(target: Target, facts: RunFindings | undefined, { mask, nameOption }: TextOptions): TargetEntry {
  const keys = KEY_NAMES.flatMap(({ name, account }) => {
    const key = target.keys[name]
    return key === undefined || key === NO_KEY ? [] : [[account, key] as const]
  })
  const obstacle = facts?.obstacle
  return omitUndefined({
    url: target.url,
    baseUrl: target.baseUrl,
    embedded: target.embedded,
    keys: Object.fromEntries(keys.map(([name, key]) => [name, fingerprintSecret(key)])),
    models: mask.maskJson({ ...facts?.models }),
    notOffered: unlessEmpty(target.notOffered),
    ownModels: facts?.ownModels && mask.maskJson(facts.ownModels),
    differences: unlessEmpty(target.differences.map(({ name, value, text, why }) => ({ name, value, text, why }))),
    problem: obstacle && mask.mask(describeFinding(obstacle, nameOption)),
    obstacle: obstacle && { code: obstacle.code, params: mask.maskJson({ ...obstacle.params }) },
  })
}
