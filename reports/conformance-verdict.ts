import type { CheckEntry, ConformanceDocument, DeclaredDifferenceEntry, RunVerdict } from './conformance-document.ts'
import { formatCount } from '../common/format-count.ts'
import { isGatewayRun, listRuns } from './gateway-run.ts'
import { findEarlyEnds, findServiceHint } from './remarks.ts'

/** Formats the target's address. Marks the built-in emulator, whose result says nothing about a deployment. */
export function describeTarget(document: ConformanceDocument): string {
  const { url, embedded } = document.target
  const target = embedded ? `${url} ${BUILT_IN}` : url
  return isGatewayRun(document) ? `${target} in front of ${document.upstream}` : target
}

const BUILT_IN = '(the emulator, started for this run)'

const VERDICT_LABELS: Readonly<Record<RunVerdict, string>> = {
  conformant: 'Conformant',
  'non-conformant': 'Non-conformant',
  incomplete: 'Incomplete',
  'harness-error': 'Harness error',
}

/** A declared difference with the checks of this run that have the verdict `declared` because of it. */
export interface ReportedDifference extends DeclaredDifferenceEntry {
  readonly checks: readonly CheckEntry[]
}

export function listDifferences({ target, checks }: ConformanceDocument): ReportedDifference[] {
  return (target.differences ?? []).map((entry) => ({
    ...entry,
    checks: checks.filter(
      ({ verdict, differences = [] }) => verdict === 'declared' && differences.includes(entry.name),
    ),
  }))
}

export function listSeenDifferences(document: ConformanceDocument): ReportedDifference[] {
  return listDifferences(document).filter(({ checks }) => checks.length > 0)
}

export function describeSeen({ checks }: ReportedDifference): string {
  return checks.length === 0 ? 'not seen in this run' : formatCount(checks.length, 'check')
}

/** Formats the verdict: `conformant with 3 declared differences, gateway non-conformant`. */
export function formatRunVerdict(document: ConformanceDocument): string {
  return listRuns(document)
    .map((run) => (isGatewayRun(run) ? 'gateway ' : '') + run.verdict + describeDifferenceCount(run))
    .join(', ')
}

function describeDifferenceCount(document: ConformanceDocument): string {
  const { length } = listSeenDifferences(document)
  return document.verdict !== 'conformant' || length === 0 ? '' : ` with ${formatCount(length, 'declared difference')}`
}

/** Parts of a headline. Reports join them without separators. */
export interface Headline {
  /** The verdict: `Conformant with 2 declared differences`. */
  readonly label: string
  /** The facts that limit the verdict: ` (strict; only 4.2)`, or an empty string. */
  readonly qualifiers: string
  /** The declared differences of a conformant run: `: no keys; validation errors get 422`, or an empty string. */
  readonly differences: string
}

/**
 * Builds the headline of a run.
 * @param escape escapes the texts of the target for the format of the report
 * @param more qualifiers that only one format shows
 */
export function buildHeadline(
  document: ConformanceDocument,
  escape: (text: string) => string,
  more: readonly string[] = [],
): Headline {
  const suffix = describeDifferenceCount(document)
  const qualifiers = [...listVerdictQualifiers(document), ...more]
  const texts = suffix === '' ? [] : listSeenDifferences(document).map(({ text }) => text)
  const verdict = VERDICT_LABELS[document.verdict]
  return {
    label: (isGatewayRun(document) ? `Gateway ${verdict.toLowerCase()}` : verdict) + suffix,
    qualifiers: qualifiers.length === 0 ? '' : ` (${escape(qualifiers.join('; '))})`,
    differences: texts.length === 0 ? '' : `: ${escape(texts.join('; '))}`,
  }
}

/** Returns whether a check does not affect the verdict: a known failure, or accepted as not testable. */
export function isExemptCheck({ knownFailure, accepted }: CheckEntry): boolean {
  return (knownFailure ?? accepted) !== undefined
}

export function isKnownFailure({ verdict, knownFailure }: CheckEntry): boolean {
  // The list of declared differences names those that the owner excuses.
  return knownFailure !== undefined && verdict !== 'declared'
}

/** Returns the checks with this verdict that count towards the verdict of the run. */
export function selectCountedChecks({ checks }: ConformanceDocument, verdict: CheckEntry['verdict']): CheckEntry[] {
  return checks.filter((check) => check.verdict === verdict && !isExemptCheck(check))
}

function describeReasons(reasons: readonly string[]): string {
  return reasons.length === 0 ? '' : ` (${reasons.join(', ')})`
}

/** Describes the verdict of a run in one or more sentences. */
export function describeVerdict(document: ConformanceDocument): string {
  const { target, checks, verdict, strict, budgets = [] } = document
  if (target.problem !== undefined) return `Nothing was tested: ${target.problem}`
  const failed = selectCountedChecks(document, 'fail').length
  const warned = selectCountedChecks(document, 'warn').length
  const untested = selectCountedChecks(document, 'not-testable').length
  const broken = budgets.filter((budget) => budget.verdict === 'broken').length
  const unlisted = listSeenDifferences(document).filter((one) => !one.checks.every(isExemptCheck))
  // The sentence of a conformant run contains the declared differences.
  const declared = verdict === 'conformant' ? 0 : unlisted.length
  const warnings = describeWarnings(warned, declared)
  const [subject, authority] = isGatewayRun(document) ? ['gateway', 'gateway.md'] : ['target', 'the specification']
  switch (verdict) {
    case 'conformant':
      return `The ${subject} conforms to ${authority}${describeDifferenceCount(document)}: ${formatCount(document.summary.pass, 'check')} passed.${warnings}`
    case 'incomplete':
      return untested === 0
        ? `No check failed, but the run did not finish${describeReasons(findEarlyEnds(document))}.`
        : `No check failed, but ${formatCount(untested, 'check')} could not be tested.${warnings}`
    case 'harness-error':
      return `The suite itself failed in ${formatCount(selectCountedChecks(document, 'error').length, 'check')}. This run has no result.`
    case 'non-conformant': {
      const reasons = [
        ...(failed === 0 ? [] : [`violates ${authority} in ${failed} of ${formatCount(checks.length, 'check')}`]),
        ...(broken === 0 ? [] : [`exceeds ${formatCount(broken, 'budget')}`]),
      ]
      const isStrictFailure = strict && warned + declared > 0
      const isExplained = reasons.length > 0 || isStrictFailure
      if (!isExplained) return document.remarks.join(' ') + warnings
      const sentence = reasons.length === 0 ? '' : `The ${subject} ${reasons.join(' and ')}.`
      const effect = isStrictFailure
        ? ` With --strict, ${warned + declared === 1 ? 'it fails' : 'they fail'} the run.`
        : ''
      return `${sentence}${warnings}${effect}`.trimStart()
    }
  }
}

/** Describes the warnings and the declared differences in a sentence, which starts with a space. */
function describeWarnings(warned: number, declared: number): string {
  const counts = [
    ...(warned === 0 ? [] : [formatCount(warned, 'warning')]),
    ...(declared === 0 ? [] : [formatCount(declared, 'declared difference')]),
  ]
  return counts.length === 0 ? '' : ` There ${warned + declared === 1 ? 'is' : 'are'} ${counts.join(' and ')}.`
}

/** Lists the breakdown checks that affect the verdict although the user did not select them. */
function listAddedChecks(checks: readonly CheckEntry[], only: readonly string[]): string[] {
  const isSelected = ({ id, requirement, section }: CheckEntry): boolean =>
    only.some((one) => [id, requirement, section].includes(one) || section.startsWith(`${one}.`))
  const added = checks.filter((check) => check.requirement === '7/500' && !isSelected(check))
  return added.length === 0 ? [] : [`and breakdowns: ${added.map(({ id }) => id).join(', ')}`]
}

/** Lists the facts that limit a verdict: selection, operations not offered, known failures, gaps and budgets. */
function listVerdictQualifiers(document: ConformanceDocument): string[] {
  const { verdict: runVerdict, strict, selection, checks, target, budgets = [] } = document
  const { notOffered = [], ownModels } = target
  const declared = runVerdict === 'conformant' ? 0 : listSeenDifferences(document).length
  const known = checks.filter(isKnownFailure).length
  const accepted = checks.filter((check) => check.accepted !== undefined).length
  const broken = budgets.filter(({ verdict }) => verdict === 'broken').length
  return [
    ...(strict ? ['strict'] : []),
    ...(selection === null || selection.only.length === 0 ? [] : [`only ${selection.only.join(', ')}`]),
    ...(selection === null || selection.only.length === 0 ? [] : listAddedChecks(checks, selection.only)),
    ...(selection === null || selection.skip.length === 0 ? [] : [`without ${selection.skip.join(', ')}`]),
    ...(notOffered.length === 0 ? [] : [`not offered: ${notOffered.join(', ')}`]),
    ...(ownModels?.origin === 'declared' ? [`${formatCount(ownModels.ids.length, 'model')} declared`] : []),
    ...findEarlyEnds(document),
    ...(declared === 0 ? [] : [formatCount(declared, 'declared difference')]),
    ...(known === 0 ? [] : [formatCount(known, 'known failure')]),
    ...describeRepaired(document),
    ...(accepted === 0 ? [] : [`${accepted} accepted as not testable`]),
    ...(broken === 0 ? [] : [`${formatCount(broken, 'budget')} broken`]),
  ]
}

function describeRepaired(document: ConformanceDocument): string[] {
  const ids = listRepaired(document)
  return ids.length === 0 ? [] : [`${formatCount(ids.length, 'known failure')} repaired`]
}

/** Lists the IDs of the known failures that no longer fail. */
export function listRepaired({ remarkFindings }: Pick<ConformanceDocument, 'remarkFindings'>): readonly string[] {
  const ids = remarkFindings.find(({ code }) => code === 'known-failures-repaired')?.params['ids']
  return Array.isArray(ids) ? ids.map(String) : []
}

/**
 * Describes why a run is incomplete: the most frequent reason for required checks that could not be tested, or the
 * budgets without enough samples. Returns undefined for other verdicts, and if the headline or a remark below it names
 * the reason: the run ended early, or the target looks like a different service.
 */
export function describeIncompleteReason(document: ConformanceDocument): string | undefined {
  const { verdict, target, budgets = [] } = document
  const isNamed = target.problem !== undefined || findEarlyEnds(document).length > 0
  if (verdict !== 'incomplete' || isNamed || findServiceHint(document) !== undefined) return undefined
  const untested = document.checks.filter((check) => isRequired(check, document.strict))
  const [first, ...others] = groupByReason(document, untested)
  if (first !== undefined) {
    const more = others.length === 0 ? '' : ` (and ${formatCount(others.length, 'other reason')}, listed below)`
    return `Incomplete because ${formatCount(first.checks, 'check')} could not be tested: ${first.reason}${more}`
  }
  const short = budgets.filter((budget) => budget.verdict === 'insufficient samples')
  return short.length === 0
    ? undefined
    : `Incomplete because of budgets without enough samples: ${short.map(({ metric, statistic }) => `${metric}.${statistic}`).join(', ')}`
}

/** Returns whether a check that could not be tested makes its run incomplete. */
function isRequired(check: CheckEntry, isStrict: boolean): boolean {
  if (check.verdict !== 'not-testable' || isExemptCheck(check)) return false
  return check.level === 'stated' || check.declared !== undefined || (isStrict && check.level === 'convention')
}

interface Reason {
  readonly reason: string
  readonly checks: number
}

/** Counts the checks of each cause. Lists the cause with the most checks first. */
function groupByReason({ causes }: ConformanceDocument, checks: readonly CheckEntry[]): Reason[] {
  const ids = new Set(checks.map(({ id }) => id))
  return causes
    .map(({ title, checks: ofCause }) => ({ reason: title, checks: ofCause.filter((id) => ids.has(id)).length }))
    .filter((reason) => reason.checks > 0)
    .toSorted((a, b) => b.checks - a.checks)
}
