import {
  CHANGE_KIND_HEADINGS,
  type RunChange,
  type ChangeKind,
  type Comparison,
  groupChanges,
  isRegression,
} from '../../compare/comparison.ts'
import {
  describeComparison,
  describeUnclear,
  formatWithInterval,
  separateUnclearChanges,
  formatVerdict,
} from '../../compare/describe-comparison.ts'
import { limitPageSize } from '../limit-page-size.ts'
import { html, type Markup } from '../markup.ts'
import { type PageSection, renderPage } from '../page.ts'
import { renderFactList, renderLongTable, renderProse, renderVerdict } from '../elements.ts'

/** Maximum number of changes of one kind that are visible without expanding the list. */
const MAX_LISTED_CHANGES = 6

/** Maximum number of sections that are not collapsed. */
const MAX_EXPANDED_SECTIONS = 4

/** Verdict whose colour each direction of change has. */
const KINDS = { worse: 'fail', better: 'pass', different: 'observed', unclear: 'not-testable' } as const

/** Renders comparisons that have the same base run as one HTML file of less than 2 MB. */
export function renderComparisonPage(comparisons: readonly Comparison[], madeBy: string): string {
  return limitPageSize(comparisons, (short) => renderWithin(short, madeBy))
}

function renderWithin(comparisons: readonly Comparison[], madeBy: string): string {
  const isWorse = comparisons.some(isRegression)
  const [only] = comparisons
  return renderPage({
    title: isWorse ? 'Regression' : 'No regression',
    kind: 'Comparison',
    tone: isWorse ? 'bad' : 'good',
    verdict: isWorse ? 'Regression' : 'No regression',
    sentence:
      comparisons.length === 1 && only !== undefined
        ? describeComparison(only)
        : html`${comparisons.map((one) => html`${one.after.name}: ${describeComparison(one)} `)}`,
    facts:
      only &&
      renderFactList([
        ['Before', runWords(only.before)],
        ...comparisons.map(({ after }) => ['After', runWords(after)] as const),
      ]),
    sections: comparisons
      .flatMap((one, index) => sectionsOf(one, index, comparisons.length > 1))
      .map((section, index) => ({
        ...(index >= MAX_EXPANDED_SECTIONS && { collapsedAs: 'Each with its result before and after.' }),
        ...section,
      })),
    madeBy,
  })
}

function runWords({ name, target, startedAt, verdict }: Comparison['before']): Markup {
  return html`<strong>${name}</strong>: ${formatVerdict(verdict)}; ${target},
    <span class="nowrap">${startedAt.slice(0, 16).replace('T', ' ')} UTC</span>`
}

function sectionsOf(comparison: Comparison, index: number, isNamed: boolean): PageSection[] {
  const { changes, moves, remarks, after } = comparison
  const { moved, unclear } = separateUnclearChanges(moves)
  const heading = (text: string, count: number): string => `${text} (${count})${isNamed ? `: ${after.name}` : ''}`
  // The banner already states the change of the run's verdict.
  const sorts = groupChanges(changes.filter(({ sort }) => sort !== 'run')).map(
    ({ sort, heading: name, group }): PageSection => ({
      id: `${sort}-${index}`,
      heading: heading(name, group.length),
      content: changeTable(sort, group),
      ...(sort === 'once' && { collapsedAs: 'Each with its result, or the reason why it was not run.' }),
    }),
  )
  const times: PageSection = {
    id: `times-${index}`,
    heading: heading('Changed latencies', moved.length),
    content: html`${moved.length > 0 ? moveTable(moved) : html`<p>No percentile changed beyond the error bounds of both runs.</p>`}${unclear.length > 0 && html`<p class="muted">${describeUnclear(unclear)}.</p>`}`,
  }
  const notes: PageSection = {
    id: `remarks-${index}`,
    heading: heading('Remarks', remarks.length),
    content: html`<ul>
      ${remarks.map((remark) => html`<li>${remark}</li>`)}
    </ul>`,
  }
  const hasTimes = moves.length > 0
  return [...(remarks.length > 0 ? [notes] : []), ...(hasTimes ? [times] : []), ...sorts]
}

/** Heading of the first column of the changes of each kind. */
const SUBJECTS: Readonly<Record<ChangeKind, string>> = {
  run: 'Run',
  finding: 'Finding',
  difference: 'Difference',
  cause: 'Cause',
  check: 'Check',
  budget: 'Budget',
  failed: 'Requests',
  streams: 'Violation',
  observation: 'Request',
  policy: 'Policy',
  once: 'Check',
}

function changeTable(sort: ChangeKind, changes: readonly RunChange[]): Markup {
  const rows = changes.map(({ direction, subject, title, before, after }) => [
    title === undefined ? renderProse(subject) : html`${renderProse(title)} <code class="muted">${subject}</code>`,
    before,
    after,
    renderVerdict(direction, KINDS[direction]),
  ])
  return renderLongTable(
    CHANGE_KIND_HEADINGS[sort],
    [SUBJECTS[sort], 'Before', 'After', 'Change'].map((heading) => ({ heading })),
    rows,
    MAX_LISTED_CHANGES,
  )
}

function moveTable(moves: Comparison['moves']): Markup {
  const rows = moves.map(({ figure, direction, before, after, beforeInterval, afterInterval }) => [
    figure,
    formatWithInterval(before, beforeInterval),
    formatWithInterval(after, afterInterval),
    `${after >= before ? '+' : '−'}${Math.abs(before === 0 ? 100 : (100 * (after - before)) / before).toFixed(1)} %`,
    renderVerdict(direction, KINDS[direction]),
  ])
  return html`${renderLongTable('Percentiles with their confidence intervals', [{ heading: 'Metric' }, { heading: 'Before' }, { heading: 'After' }, { heading: 'Difference', isNumber: true }, { heading: 'Change' }], rows, MAX_LISTED_CHANGES)}
    <p class="muted">
      Each interval is the 99 % confidence interval of the percentile (order statistics), extended by the measurement
      error of its run. The table lists changes beyond both intervals.
    </p>`
}
