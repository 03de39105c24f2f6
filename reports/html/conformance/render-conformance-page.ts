import { listAllCauses, type ReportedCause } from '../../causes.ts'
import type { CheckVerdict, ConformanceDocument, RunVerdict } from '../../conformance-document.ts'
import {
  buildHeadline,
  isExemptCheck,
  selectCountedChecks,
  describeTarget,
  describeVerdict,
  listDifferences,
} from '../../conformance-verdict.ts'
import { getWorstVerdict, isGatewayRun, listRuns, type GatewayRun } from '../../gateway-run.ts'
import { isHeadlineRemark, listCodedRemarks, listHeadlineRemarks } from '../../remarks.ts'
import { limitPageSize, type PageLimits } from '../limit-page-size.ts'
import { html, type HtmlValue, type Markup } from '../markup.ts'
import { renderPage, type PageSection, type VerdictColor } from '../page.ts'
import { renderFactList, renderKeys, renderLongTable, renderNarrowDetails, renderProse } from '../elements.ts'
import { buildSpecificationSection } from '../specification.ts'
import {
  renderDifferences,
  renderKnownFailures,
  renderNotPlanned,
  renderNotTestable,
  renderUnspecifiedBehaviour,
  renderBudgetsAndLatencies,
} from './other-sections.ts'
import { renderCauses } from './causes.ts'
import { renderFinding, type RequirementsById } from './check.ts'
import { renderCountNote, renderCountTiles } from './counts.ts'
import { buildGatewaySections } from './gateway.ts'
import { renderSections } from './requirements.ts'

const TONES: Readonly<Record<RunVerdict, VerdictColor>> = {
  conformant: 'good',
  'non-conformant': 'bad',
  incomplete: 'open',
  'harness-error': 'bad',
}

/** Renders a conformance run as one HTML file of less than 2 MB. */
export function renderConformancePage(document: ConformanceDocument): string {
  return limitPageSize(document, renderWithin)
}

function renderWithin(document: ConformanceDocument, limits: PageLimits): string {
  const { tool } = document
  const [run = document, ...others] = listRuns(document)
  const { label, qualifiers, differences } = buildHeadline(run, String)
  const more = others.map((other) => `; ${buildHeadline(other, String).label.toLowerCase()}`).join('')
  return renderPage({
    title: `${label}${more}: ${describeTarget(run)}`,
    kind: 'Conformance report',
    tone: TONES[getWorstVerdict(document)],
    verdict: label + qualifiers + differences + more,
    sentence: [
      renderProse(describeVerdict(run)),
      ...listHeadlineRemarks(run).map(({ text }) => html`<span class="remark">${renderProse(text)}</span>`),
    ],
    facts: renderFacts(run),
    sections: isGatewayRun(run)
      ? [...buildGatewaySections(run, limits, 'never'), aboutSection(run)]
      : sectionsOf(run, others.filter(isGatewayRun), limits),
    madeBy: `${tool.name} ${tool.version}`,
  })
}

/** Renders the facts below the verdict. Shows only a few facts, so that the causes fit on the first screen. */
function renderFacts(document: ConformanceDocument): Markup {
  const { target, startedAt, durationMs } = document
  return renderFactList([
    ['Target', html`<strong>${target.url}</strong>${target.embedded && ' (the emulator, started for this run)'}`],
    ['Upstream', isGatewayRun(document) && document.upstream],
    [
      'When',
      html`<time datetime="${startedAt}">${startedAt.slice(0, 16).replace('T', ' ')} UTC</time>,
        <span class="nowrap">for ${(durationMs / 1000).toFixed(1)} s</span>`,
    ],
  ])
}

function renderMoreFacts({ target, spent, spec }: ConformanceDocument): Markup {
  return renderFactList([
    ['Sent', `${spent.requests} requests`],
    ['Credits', creditsOf(spent)],
    ['Keys', renderKeys(target.keys)],
    ['Models', modelsOf(target.models)],
    ['Specification, SHA-256', html`<code>${spec.sha256.slice(0, 16)}</code>`],
  ])
}

function creditsOf({ creditsUpperBound, creditsKnown }: ConformanceDocument['spent']): string {
  const known = creditsKnown === null ? '' : ` (${creditsKnown} according to the usage in chat responses)`
  return creditsUpperBound === null ? '' : `at most ${creditsUpperBound} for chat and text${known}`
}

/** Lists the tested models, each with its operations. For most targets, the list has a single model. */
function modelsOf(models: Readonly<Record<string, string>>): string {
  const byModel = Map.groupBy(Object.entries(models), ([, model]) => model)
  return [...byModel].map(([model, uses]) => `${model} (${uses.map(([use]) => use).join(', ')})`).join('; ')
}

const ABOUT = 'Requests, credits, keys and models.'

function aboutSection(document: ConformanceDocument): PageSection {
  return { id: 'about', heading: 'About this run', content: renderMoreFacts(document), collapsedAs: ABOUT }
}

function sectionsOf(document: ConformanceDocument, gateways: readonly GatewayRun[], limits: PageLimits): PageSection[] {
  const quotes: RequirementsById = new Map(document.requirements.map((row) => [row.id, row]))
  return [
    ...causeSections(document, limits),
    {
      id: 'summary',
      heading: 'Summary',
      isCollapsedIfNarrow: document.causes.length > 0,
      content: html`${renderCountTiles(document)}${remarksOf(document)}${renderNarrowDetails('About this run', html`${renderCountNote(document)}${renderMoreFacts(document)}`)}`,
    },
    ...gateways.flatMap((gateway) =>
      buildGatewaySections(gateway, limits, document.causes.length > 0 ? 'always' : 'if-narrow'),
    ),
    ...findingSections(document, quotes, limits),
    ...otherSections(document, quotes, limits),
  ]
}

function causeSections(document: ConformanceDocument, limits: PageLimits): PageSection[] {
  const causes = listAllCauses(document)
  const causesOf = (verdicts: readonly CheckVerdict[]) => causes.filter(({ verdict }) => verdicts.includes(verdict))
  const [ofFailures, ofWarnings] = [causesOf(['fail', 'error']), causesOf(['warn'])]
  const build = (id: string, of: string, shown: readonly ReportedCause[]): PageSection => ({
    id,
    heading: `Causes of the ${of} (${shown.length})`,
    content: renderCauses(shown, limits),
    isCollapsedIfNarrow: shown === ofWarnings && ofFailures.length > 0,
  })
  return [
    ...(document.verdict === 'incomplete' ? reasonSections(causesOf(['not-testable'])) : []),
    ...(ofFailures.length === 0 ? [] : [build('causes', 'failures', ofFailures)]),
    ...(ofWarnings.length === 0 ? [] : [build('causes-of-warnings', 'warnings', ofWarnings)]),
  ]
}

/** Builds the section with the reasons of an incomplete run, which have no command that reproduces them. */
function reasonSections(reasons: readonly ReportedCause[]): PageSection[] {
  if (reasons.length === 0) return []
  return [
    {
      id: 'reasons',
      heading: `Why the run is incomplete (${reasons.length})`,
      content: renderLongTable(
        'Reasons why checks were not testable',
        [{ heading: 'Reason' }, { heading: 'Checks', isNumber: true }],
        reasons.map(({ title, checks }) => [
          renderProse(title.replace(/^(?!https?:)[a-z]/, (first) => first.toUpperCase())),
          checks.length,
        ]),
        MAX_LISTED_REASONS,
      ),
    },
  ]
}

/** Maximum number of reasons of an incomplete run that are visible without a click. */
const MAX_LISTED_REASONS = 6

const FINDING_SECTIONS = [
  { id: 'failures', name: 'Failures', verdict: 'fail' },
  { id: 'errors', name: 'Errors of the suite', verdict: 'error' },
  { id: 'warnings', name: 'Warnings', verdict: 'warn' },
] as const

function findingSections(document: ConformanceDocument, quotes: RequirementsById, limits: PageLimits): PageSection[] {
  return FINDING_SECTIONS.flatMap(({ id, name, verdict }): PageSection[] => {
    const checks = selectCountedChecks(document, verdict)
    if (checks.length === 0) return []
    return [
      {
        id,
        heading: `${name} (${checks.length})`,
        content: checks.map((check) => renderFinding(check, quotes, limits)),
        collapsedAs: 'Each check with its sentence, command and responses.',
      },
    ]
  })
}

/** Builds the sections after the findings. All are collapsed except declared differences and budgets; empty sections are omitted. */
function otherSections(document: ConformanceDocument, quotes: RequirementsById, limits: PageLimits): PageSection[] {
  const { requirements, notPlanned, latency, budgets = [], checks } = document
  const notTestable = selectCountedChecks(document, 'not-testable')
  const observed = checks.filter(({ verdict }) => verdict === 'observed')
  const excused = checks.filter(isExemptCheck)
  const differences = listDifferences(document)
  const counted: (PageSection & { readonly count: number })[] = [
    {
      id: 'differences',
      heading: 'Declared differences',
      count: differences.length,
      content: renderDifferences(differences),
    },
    {
      id: 'not-testable',
      heading: 'Not testable',
      count: notTestable.length,
      collapsedAs: 'Checks that could not run, or had too little evidence. These checks do not count as passed.',
      content: renderNotTestable(notTestable),
    },
    {
      id: 'excused',
      heading: 'Known failures and accepted gaps',
      count: excused.length,
      collapsedAs: 'Checks that do not affect the verdict, because the target file or the command line lists them.',
      content: renderKnownFailures(excused),
    },
    {
      id: 'unspecified',
      heading: 'Unspecified behaviour',
      count: observed.length,
      collapsedAs:
        'Behaviour that the specification leaves open. It fails a run only if a target file declares another value, but clients may depend on it.',
      content: renderUnspecifiedBehaviour(observed, quotes),
    },
    {
      id: 'times',
      heading: 'Latencies and budgets',
      count: latency.length + budgets.length,
      content: renderBudgetsAndLatencies(document),
      ...(budgets.length === 0 && { collapsedAs: 'Times of the requests of this run, by operation.' }),
    },
    {
      id: 'requirements',
      heading: 'All requirements',
      count: requirements.length,
      collapsedAs: 'Each sentence of the specification with its checks, by section.',
      content: renderSections(document, limits),
    },
    {
      id: 'not-planned',
      heading: 'Not part of this run',
      count: notPlanned.length,
      collapsedAs: 'Checks that need another option, key or declaration. They do not affect the verdict.',
      content: renderNotPlanned(document),
    },
  ]
  return [
    ...counted
      .filter(({ count }) => count > 0)
      .map(({ count, ...section }) => ({
        ...section,
        heading: section.id === 'times' ? section.heading : `${section.heading} (${count})`,
      })),
    buildSpecificationSection(),
  ]
}

function remarksOf(document: ConformanceDocument): HtmlValue {
  const remarks = listCodedRemarks(document).filter((remark) => !isHeadlineRemark(remark))
  return (
    remarks.length > 0 &&
    html`<ul>
      ${remarks.map(({ text }) => html`<li>${renderProse(text)}</li>`)}
    </ul>`
  )
}
