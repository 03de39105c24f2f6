import { listAllCauses } from '../../causes.ts'
import type { CheckVerdict, ConformanceDocument, RunVerdict } from '../../conformance-document.ts'
import {
  isException,
  selectCountedChecks,
  VERDICT_LABELS,
  describeTarget,
  listVerdictQualifiers,
  describeVerdict,
} from '../../conformance-verdict.ts'
import { isHeadlineRemark, listCodedRemarks, listHeadlineRemarks } from '../../remarks.ts'
import { limitPageSize, type PageLimits } from '../limit-page-size.ts'
import { html, type Insertable, type Markup } from '../markup.ts'
import { type PageSection, renderPage, type VerdictColor } from '../page.ts'
import { renderFactList, renderFirst, renderFold } from '../parts.ts'
import {
  renderKnownFailures,
  renderNotPlanned,
  renderNotTestable,
  renderUnspecifiedBehaviour,
  renderTimes,
} from './other-sections.ts'
import { renderCauses } from './causes.ts'
import { type RequirementsById, renderFinding } from './check.ts'
import { renderCountTiles } from './counts.ts'
import { renderSections } from './sections.ts'

const TONES: Readonly<Record<RunVerdict, VerdictColor>> = {
  conformant: 'good',
  'non-conformant': 'bad',
  incomplete: 'open',
  'harness-error': 'bad',
}

/** Number of failures and of warnings that are not collapsed. The causes come first. */
const FIRST_FINDINGS = 3

/** Renders a conformance run as one HTML file of less than 2 MB. */
export function renderConformancePage(document: ConformanceDocument): string {
  return limitPageSize(document, renderWithin)
}

function renderWithin(document: ConformanceDocument, limits: PageLimits): string {
  const { target, verdict, tool } = document
  const qualifiers = listVerdictQualifiers(document)
  return renderPage({
    title: `${VERDICT_LABELS[verdict]}: ${describeTarget(target)}`,
    kind: 'Conformance report',
    tone: TONES[verdict],
    verdict: VERDICT_LABELS[verdict] + (qualifiers.length === 0 ? '' : ` (${qualifiers.join('; ')})`),
    sentence: [describeVerdict(document), ...listHeadlineRemarks(document).map(({ text }) => html`<br />${text}`)],
    facts: renderFacts(document),
    sections: sectionsOf(document, limits),
    madeBy: `${tool.name} ${tool.version}`,
  })
}

/** Renders the facts next to the verdict. They are few, so that the first screen shows the causes. */
function renderFacts({ target, startedAt, durationMs }: ConformanceDocument): Markup {
  return renderFactList([
    ['Target', html`<strong>${target.url}</strong>${target.embedded && ' (the emulator, started for this run)'}`],
    [
      'When',
      html`<time datetime="${startedAt}">${startedAt.slice(0, 16).replace('T', ' ')} UTC</time>, for
        ${(durationMs / 1000).toFixed(1)} s`,
    ],
  ])
}

function renderMoreFacts({ target, spent, spec }: ConformanceDocument): Markup {
  return renderFactList([
    ['Sent', `${spent.requests} requests`],
    ['Credits', creditsOf(spent)],
    ['Keys', pairs(target.keys)],
    ['Models', modelsOf(target.models)],
    ['Specification, SHA-256', html`<code>${spec.sha256.slice(0, 16)}</code>`],
  ])
}

function creditsOf({ creditsUpperBound, creditsKnown }: ConformanceDocument['spent']): string {
  const known = creditsKnown === null ? '' : `; ${creditsKnown} reported by the target`
  return creditsUpperBound === null ? '' : `at most ${creditsUpperBound} for chat and text${known}`
}

/** Lists the models with their operations. Most targets are tested with a single model. */
function modelsOf(models: Readonly<Record<string, string>>): string {
  const byModel = Map.groupBy(Object.entries(models), ([, model]) => model)
  return [...byModel].map(([model, uses]) => `${model} (${uses.map(([use]) => use).join(', ')})`).join('; ')
}

function pairs(entries: Readonly<Record<string, string>>): string {
  return Object.entries(entries)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}

function sectionsOf(document: ConformanceDocument, limits: PageLimits): PageSection[] {
  const quotes: RequirementsById = new Map(document.requirements.map((row) => [row.id, row]))
  const findings = (verdict: 'fail' | 'error' | 'warn'): Insertable => renderFindings(document, verdict, quotes, limits)
  const count = (verdict: 'fail' | 'error' | 'warn' | 'not-testable'): number =>
    selectCountedChecks(document, verdict).length
  const observed = document.checks.filter(({ verdict }) => verdict === 'observed')
  const excused = document.checks.filter(isException)
  const causes = listAllCauses(document)
  const causesOf = (verdicts: readonly CheckVerdict[]) => causes.filter(({ verdict }) => verdicts.includes(verdict))
  const causesOfFailures = causesOf(['fail', 'error'])
  const causesOfWarnings = causesOf(['warn'])
  const sections: (PageSection & { readonly isEmpty: boolean })[] = [
    {
      id: 'causes',
      heading: `Causes of the failures (${causesOfFailures.length})`,
      isEmpty: causesOfFailures.length === 0,
      content: renderCauses(causesOfFailures),
    },
    {
      id: 'causes-of-warnings',
      heading: `Causes of the warnings (${causesOfWarnings.length})`,
      isEmpty: causesOfWarnings.length === 0,
      content: renderCauses(causesOfWarnings),
    },
    {
      id: 'summary',
      heading: 'Summary',
      isEmpty: false,
      content: html`${renderCountTiles(document)}${remarksOf(document)}${renderMoreFacts(document)}`,
    },
    { id: 'failures', heading: `Failures (${count('fail')})`, isEmpty: count('fail') === 0, content: findings('fail') },
    {
      id: 'errors',
      heading: `Errors of the suite (${count('error')})`,
      isEmpty: count('error') === 0,
      content: findings('error'),
    },
    { id: 'warnings', heading: `Warnings (${count('warn')})`, isEmpty: count('warn') === 0, content: findings('warn') },
    {
      id: 'not-testable',
      heading: `Not testable (${count('not-testable')})`,
      isEmpty: count('not-testable') === 0,
      content: renderNotTestable(selectCountedChecks(document, 'not-testable')),
    },
    {
      id: 'excused',
      heading: `Known failures and accepted gaps (${excused.length})`,
      isEmpty: excused.length === 0,
      content: renderKnownFailures(excused),
    },
    {
      id: 'silences',
      heading: `Unspecified behaviour (${observed.length})`,
      isEmpty: observed.length === 0,
      content: renderUnspecifiedBehaviour(observed, quotes),
    },
    {
      id: 'times',
      heading: 'Latencies and budgets',
      isEmpty: document.latency.length === 0 && (document.budgets ?? []).length === 0,
      content: renderTimes(document),
    },
    {
      id: 'requirements',
      heading: `All requirements (${document.requirements.length})`,
      isEmpty: document.requirements.length === 0,
      content: renderFold(
        `Show ${document.requirements.length} requirements by section`,
        renderSections(document, limits),
      ),
    },
    {
      id: 'not-planned',
      heading: `Not part of this run (${document.notPlanned.length})`,
      isEmpty: document.notPlanned.length === 0,
      content: renderNotPlanned(document),
    },
  ]
  return sections.filter(({ isEmpty }) => !isEmpty)
}

function renderFindings(
  document: ConformanceDocument,
  verdict: 'fail' | 'error' | 'warn',
  quotes: RequirementsById,
  limits: PageLimits,
): Markup {
  const findings = selectCountedChecks(document, verdict).map((check) => renderFinding(check, quotes, limits))
  return renderFirst(findings, FIRST_FINDINGS, 'checks')
}

function remarksOf(document: ConformanceDocument): Insertable {
  const remarks = listCodedRemarks(document).filter((remark) => !isHeadlineRemark(remark))
  return (
    remarks.length > 0 &&
    html`<ul>
      ${remarks.map(({ text }) => html`<li>${text}</li>`)}
    </ul>`
  )
}
