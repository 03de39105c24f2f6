import { formatSection } from '../../../contract/sections.ts'
import type { MutantEntry, ProveDocument } from '../../prove-document.ts'
import { html, type Markup } from '../markup.ts'

/**
 * Renders a table for each section of the specification. Its rows are mutants, with the checks that should catch them.
 */
export function renderMutantMatrix(mutants: readonly MutantEntry[]): Markup[] {
  const sections = Map.groupBy(mutants, ({ id }) => id.split('/')[0] ?? '')
  return [
    html`<p>● detected as expected · ✗ not detected as expected · ○ also changed its result</p>`,
    ...[...sections].map(([section, rows]) => sectionMatrix(section, rows)),
  ]
}

function sectionMatrix(section: string, rows: readonly MutantEntry[]): Markup {
  const meant = rows.flatMap(({ kills, shortfalls }) => [...kills, ...shortfalls.map(({ check }) => check)])
  const checks = [...new Set(meant)].toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  const caption = `Mutants of ${formatSection(section)}, and the checks that catch them`
  const caught = rows.filter(({ shortfalls }) => shortfalls.length === 0).length
  return html`<details class="part fold">
    <summary>
      <h3>${formatSection(section)}</h3>
      <span class="muted">${caught} of ${rows.length} detected</span>
    </summary>
    <div class="scroll matrix" tabindex="0" role="group" aria-label="${caption}">
      <table>
        <caption>
          ${caption}
        </caption>
        <thead>
          <tr>
            <th scope="col">Mutant</th>
            ${checks.map((check) => html`<th scope="col"><span>${check}</span></th>`)}
            <th scope="col"><span>Other changed checks</span></th>
          </tr>
        </thead>
        <tbody>
          ${rows.map((row) => matrixRow(row, checks))}
        </tbody>
      </table>
    </div>
  </details>`
}

function matrixRow(row: MutantEntry, checks: readonly string[]): Markup {
  const others = row.alsoTouched.filter((check) => !checks.includes(check))
  const beside = html`<td title="${others.join(', ')}">${others.length === 0 ? '' : others.length}</td>`
  return html`<tr>
    <th scope="row">${row.id}<br /><span class="muted">${row.breaks}</span></th>
    ${checks.map((check) => cell(row, check))}${beside}
  </tr>`
}

function cell({ id, kills, alsoTouched, shortfalls }: MutantEntry, check: string): Markup {
  const place = `${id}: ${check}`
  if (shortfalls.some((shortfall) => shortfall.check === check)) {
    return html`<td class="bad" title="${place} was not detected as expected">✗</td>`
  }
  if (kills.includes(check)) return html`<td class="good" title="${place}">●</td>`
  return alsoTouched.includes(check) ? html`<td title="${place} also changed its result">○</td>` : html`<td></td>`
}

/** Returns the number of checks that caught at least one mutant. */
export function countProvenChecks({ checks }: ProveDocument): number {
  return checks.filter(({ caught }) => caught.length > 0).length
}
