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
import { getWorstVerdict, isGatewayRun, listRuns } from '../../gateway-run.ts'
import { listPolicies } from '../../policies.ts'
import { isHeadlineRemark, listCodedRemarks, listHeadlineRemarks } from '../../remarks.ts'
import { limitPageSize, type PageLimits } from '../limit-page-size.ts'
import { html, type Markup } from '../markup.ts'
import { renderPage, type PageSection, type VerdictColor } from '../page.ts'
import {
  renderFactList,
  renderKeys,
  renderLongTable,
  renderNarrowDetails,
  renderProse,
  renderVerdict,
} from '../elements.ts'
import { buildSpecificationSection } from '../specification.ts'
import {
  renderDifferences,
  renderKnownFailures,
  renderNotPlanned,
  renderNotTestable,
  renderPolicies,
  renderUnspecifiedBehaviour,
  renderBudgetsAndLatencies,
} from './other-sections.ts'
import { renderCauses } from './causes.ts'
import { renderFinding, type RequirementsById } from './check.ts'
import { renderCountNote, renderCountTiles } from './counts.ts'
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
    sections: [
      ...causeSections(run, limits),
      summarySection(run, true),
      ...others.flatMap((other) => ofGateway([...causeSections(other, limits), summarySection(other, false)])),
      ...detailSections(run, limits),
      ...others.flatMap((other) => ofGateway(detailSections(other, limits))),
      ...(isGatewayRun(run) ? [] : [buildSpecificationSection()]),
    ],
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

/** Distinguishes the sections of a gateway from those of the specification on the same page. */
function ofGateway(sections: readonly PageSection[]): PageSection[] {
  return sections.map((section) => ({
    ...section,
    id: `gateway-${section.id}`,
    heading: `Gateway: ${section.heading}`,
  }))
}

/** Verdict of a check that has the colour of a run's verdict. */
const CHECK_VERDICTS: Readonly<Record<RunVerdict, CheckVerdict>> = {
  conformant: 'pass',
  'non-conformant': 'fail',
  incomplete: 'not-testable',
  'harness-error': 'error',
}

/** @param isFirst whether the top of the page already shows the verdict and the most important remarks of the run */
function summarySection(document: ConformanceDocument, isFirst: boolean): PageSection {
  const remarks = listCodedRemarks(document).filter((remark) => !isFirst || !isHeadlineRemark(remark))
  const { verdict } = document
  return {
    id: 'summary',
    heading: 'Summary',
    isCollapsedIfNarrow: document.causes.length > 0,
    content: html`${
      !isFirst &&
      html`<p>
        ${renderVerdict(verdict, CHECK_VERDICTS[verdict])} ${describeTarget(document)}.
        ${renderProse(describeVerdict(document))}
      </p>`
    }${renderCountTiles(document)}${
      remarks.length > 0 &&
      html`<ul>
        ${remarks.map(({ text }) => html`<li>${renderProse(text)}</li>`)}
      </ul>`
    }${renderNarrowDetails('About this run', html`${!isGatewayRun(document) && renderCountNote(document)}${renderMoreFacts(document)}`)}`,
  }
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

/** Builds the sections with the checks of a run: its findings, and then all others. */
function detailSections(document: ConformanceDocument, limits: PageLimits): PageSection[] {
  const quotes: RequirementsById = new Map(document.requirements.map((row) => [row.id, row]))
  return [...findingSections(document, quotes, limits), ...otherSections(document, quotes, limits)]
}

function findingSections(document: ConformanceDocument, quotes: RequirementsById, limits: PageLimits): PageSection[] {
  const gateway = isGatewayRun(document) ? document : undefined
  return FINDING_SECTIONS.flatMap(({ id, name, verdict }): PageSection[] => {
    const checks = selectCountedChecks(document, verdict)
    if (checks.length === 0) return []
    return [
      {
        id,
        heading: `${name} (${checks.length})`,
        content: checks.map((check) => renderFinding(check, quotes, limits, gateway)),
        collapsedAs: 'Each check with its sentence, command and responses.',
      },
    ]
  })
}

/** Builds the sections after the findings. Omits empty ones. Only differences, policies and budgets are not collapsed. */
function otherSections(document: ConformanceDocument, quotes: RequirementsById, limits: PageLimits): PageSection[] {
  const { requirements, notPlanned, latency, budgets = [], checks } = document
  const notTestable = selectCountedChecks(document, 'not-testable')
  const policies = isGatewayRun(document) ? listPolicies(document) : []
  const observed = isGatewayRun(document) ? [] : checks.filter(({ verdict }) => verdict === 'observed')
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
      id: 'policies',
      heading: 'What the gateway does',
      count: policies.length,
      content: renderPolicies(policies, quotes),
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
      collapsedAs: 'Each sentence with its checks, by section.',
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
  return counted
    .filter(({ count }) => count > 0)
    .map(({ count, ...section }) => ({
      ...section,
      heading: section.id === 'times' ? section.heading : `${section.heading} (${count})`,
    }))
}
