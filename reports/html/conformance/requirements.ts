import { formatSection } from '../../../contract/sections.ts'
import type { CheckEntry, ConformanceDocument, RequirementEntry } from '../../conformance-document.ts'
import { isExemptCheck } from '../../conformance-verdict.ts'
import { GATEWAY_SECTION } from '../../gateway-run.ts'
import type { PageLimits } from '../limit-page-size.ts'
import { html, type Markup } from '../markup.ts'
import { renderQuote } from '../specification.ts'
import { renderCheckLine } from './check.ts'
import { renderCounts } from './counts.ts'

const SHOWN_ABOVE: ReadonlySet<string> = new Set(['fail', 'warn', 'error'])

/** Renders every requirement, grouped by section: its sentence, then its checks. */
export function renderSections({ requirements, checks }: ConformanceDocument, limits: PageLimits): Markup {
  const byRequirement = Map.groupBy(checks, ({ requirement }) => requirement)
  const sections = Map.groupBy(requirements, ({ section }) => section)
  const sorted = [...sections].toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
  return html`${sorted.map(([section, rows]) => renderSection(section, rows, byRequirement, limits))}`
}

function renderSection(
  section: string,
  rows: readonly RequirementEntry[],
  byRequirement: ReadonlyMap<string, readonly CheckEntry[]>,
  limits: PageLimits,
): Markup {
  const checks = rows.flatMap(({ id }) => byRequirement.get(id) ?? [])
  return html`<details class="part" data-part="${section}">
    <summary><strong>${formatSection(section)}</strong> ${renderCounts(checks)}</summary>
    ${rows.map((row) => renderRequirement(row, byRequirement.get(row.id) ?? [], limits))}
  </details> `
}

type Levels = Readonly<Record<RequirementEntry['level'], string>>

const LEVELS: Levels = {
  stated: 'stated by the specification',
  convention: 'a convention of common clients',
  unspecified: 'unspecified behaviour',
}

const GATEWAY_LEVELS: Levels = { stated: 'integrity', convention: 'convention', unspecified: 'policy' }

function renderRequirement(row: RequirementEntry, checks: readonly CheckEntry[], limits: PageLimits): Markup {
  const lines = checks.map((check) =>
    renderCheckLine(check, SHOWN_ABOVE.has(check.verdict) && !isExemptCheck(check), limits),
  )
  const levels = row.section === GATEWAY_SECTION ? GATEWAY_LEVELS : LEVELS
  return html`<div class="requirement">
    <blockquote>${renderQuote(row.section, row.quote)}</blockquote>
    <p class="muted"><code>${row.id}</code> · ${levels[row.level]}</p>
    ${'excluded' in row ? html`<p>Not tested: ${row.excluded}</p>` : lines.length === 0 ? html`<p>Not tested in this run.</p>` : lines}
  </div> `
}
