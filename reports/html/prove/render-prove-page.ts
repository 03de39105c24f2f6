import { formatSection } from '../../../contract/sections.ts'
import type { MutantEntry, ProveDocument, ProveVerdict, NoEvidenceTargetResult } from '../../prove-document.ts'
import { limitPageSize } from '../limit-page-size.ts'
import { html, type HtmlValue, type Markup } from '../markup.ts'
import { type PageSection, renderPage, type VerdictColor } from '../page.ts'
import { renderFactList, renderGroupedTable, renderIds, renderTable } from '../elements.ts'

const VERDICTS: Readonly<Record<ProveVerdict, { readonly word: string; readonly tone: VerdictColor }>> = {
  proven: { word: 'Proven', tone: 'good' },
  'not-proven': { word: 'Not proven', tone: 'bad' },
  interrupted: { word: 'Interrupted', tone: 'open' },
  'harness-error': { word: 'Harness error', tone: 'bad' },
}

/** Renders the shortfalls, then each mutant with the checks that caught it, as an HTML page. */
export function renderProvePage(document: ProveDocument): string {
  return limitPageSize(document, render)
}

function render(document: ProveDocument): string {
  const { tool, verdict, mutants } = document
  const caught = mutants.filter(({ shortfalls }) => shortfalls.length === 0).length
  return renderPage({
    title: `${VERDICTS[verdict].word}: proof of the checks`,
    kind: 'Proof that every check can fail',
    tone: VERDICTS[verdict].tone,
    verdict: VERDICTS[verdict].word,
    sentence: sentenceOf(caught, document),
    facts: factsOf(document),
    sections: sectionsOf(document),
    madeBy: `${tool.name} ${tool.version}`,
  })
}

function sentenceOf(caught: number, document: ProveDocument): string {
  const { mutants, checks } = document
  const mutant = mutants.length === 1 ? 'mutant was' : 'mutants were'
  const check = checks.length === 1 ? 'check' : 'checks'
  return `${caught} of ${mutants.length} ${mutant} detected as expected, by ${checks.filter((one) => one.caught.length > 0).length} of ${checks.length} ${check}.`
}

function factsOf({ startedAt, durationMs, full, selection }: ProveDocument): HtmlValue {
  return renderFactList([
    [
      'When',
      html`${startedAt.slice(0, 16).replace('T', ' ')} UTC,
        <span class="nowrap">for ${(durationMs / 1000).toFixed(1)} s</span>`,
    ],
    ['Checks run', full ? 'the whole suite' : 'those of the operations that the mutant changes'],
    ['Mutants', selection === null ? 'all' : describeSelection(selection.only)],
  ])
}

const MAX_NAMED_MUTANTS = 3

function describeSelection(only: readonly string[]): string {
  const others = only.length - MAX_NAMED_MUTANTS
  return `only ${only.slice(0, MAX_NAMED_MUTANTS).join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}

function sectionsOf({
  mutants,
  failingWithout,
  checksWithoutMutant,
  checks,
  targetsWithoutEvidence = [],
}: ProveDocument): PageSection[] {
  return [
    section('short', 'Not detected as expected', shortfallRows(mutants), SHORTFALL_COLUMNS),
    section(
      'unsound',
      'Failed without any mutant',
      failingWithout.map(({ check, actual }) => [check, actual]),
      ['Check', 'Finding'],
    ),
    section(
      'without',
      'Checks without a mutant',
      checksWithoutMutant.map((check) => [check]),
      ['Check'],
    ),
    section(
      'without-evidence',
      'Checks against targets without evidence',
      evidenceRows(targetsWithoutEvidence),
      EVIDENCE_COLUMNS,
    ),
    {
      id: 'mutants',
      heading: `Mutants (${mutants.length})`,
      collapsedAs: 'Each mutant with the checks that detect it.',
      content: renderMutants(mutants),
    },
    section(
      'checks',
      'Each check',
      checks.map(({ id, caught }) => [
        id,
        caught.length === 0 ? html`<span class="bad">none</span>` : caught.join(', '),
      ]),
      ['Check', 'Detected mutants'],
    ),
  ].flat()
}

const EVIDENCE_COLUMNS = ['Target responds with', 'Checks that pass', 'Reviewed reason']

/** Renders the passes of each target with meaningless responses: unexpected ones first, then by reason. */
function evidenceRows(targetsWithoutEvidence: readonly NoEvidenceTargetResult[]): HtmlValue[][] {
  return targetsWithoutEvidence.flatMap(({ responds, passes, unexpected, outdated }) => [
    ...unexpected.map((check) => [responds, check, html`<span class="bad">passes without a reviewed reason</span>`]),
    ...outdated.map((check) => [responds, check, html`<span class="bad">reviewed, but does not pass</span>`]),
    ...[...Map.groupBy(passes, ({ reason }) => reason)].map(([reason, same]) => [
      responds,
      same.map(({ check }) => check).join(', '),
      reason,
    ]),
  ])
}

const SHORTFALL_COLUMNS = ['Mutant', 'Change', 'Check', 'Problem', 'Expected finding', 'Actual finding']

function shortfallRows(mutants: readonly MutantEntry[]): HtmlValue[][] {
  return mutants.flatMap(({ id, breaks, shortfalls }) =>
    shortfalls.map(({ check, why, expected, actual }) => [id, breaks, check, why, expected, actual]),
  )
}

/** Renders a table of the mutants by section, with the checks that should detect them. */
function renderMutants(mutants: readonly MutantEntry[]): Markup {
  const sections = Map.groupBy(mutants, ({ id }) => id.split('/')[0] ?? '')
  const columns = [{ heading: 'Mutant' }, { heading: 'Checks' }, { heading: 'Other changed checks', isNumber: true }]
  const groups = [...sections].map(([section, rows]) => ({
    heading: formatSection(section),
    rows: rows.map(({ id, breaks, kills, shortfalls, alsoTouched }) => [
      html`<code>${id}</code> <span class="muted">${breaks}</span>`,
      html`${renderIds(kills)}
      ${shortfalls.map(({ check }) => html`<span class="bad">${check} (not as expected)</span> `)}`,
      alsoTouched.length,
    ]),
  }))
  return renderGroupedTable('Mutants, and the checks that detect them', columns, groups)
}

/** Maximum number of rows of a table that is not collapsed. */
const MAX_EXPANDED_ROWS = 10

/** Renders a section with a table, collapsed if it is long. Renders nothing if there are no rows. */
function section(
  id: string,
  heading: string,
  rows: readonly (readonly HtmlValue[])[],
  columns: readonly string[],
): PageSection[] {
  if (rows.length === 0) return []
  const headings = columns.map((name) => ({ heading: name }))
  return [
    {
      id,
      heading,
      content: renderTable(heading, headings, rows),
      ...(rows.length > MAX_EXPANDED_ROWS && { collapsedAs: `${rows.length.toLocaleString('en')} rows.` }),
    },
  ]
}
