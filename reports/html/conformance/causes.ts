import type { ReportedCause } from '../../causes.ts'
import type { PageLimits } from '../limit-page-size.ts'
import { html, type Markup } from '../markup.ts'
import type { CheckEntry } from '../../conformance-document.ts'
import { renderCommand, renderDetails, renderIds, renderProse, renderVerdict } from '../elements.ts'
import { renderQuote } from '../specification.ts'
import { buildAnchor, renderDifference } from './check.ts'
import { renderExampleResponse } from './exchange.ts'

/** Number of causes that are visible without expanding the list. The counter in style.ts continues from this number. */
const FIRST_CAUSES = 5

/** Renders each cause with its title and command. A click shows the sentence, a response and the checks. */
export function renderCauses(causes: readonly ReportedCause[], limits: PageLimits): Markup {
  const render = (cause: ReportedCause): Markup => renderCause(cause, limits)
  const others = causes.slice(FIRST_CAUSES)
  return html`<ol class="causes">
      ${causes.slice(0, FIRST_CAUSES).map(render)}
    </ol>
    ${
      others.length > 0 &&
      renderDetails(
        `Show ${others.length} more ${others.length === 1 ? 'cause' : 'causes'}`,
        html`<ol class="causes continued">
          ${others.map(render)}
        </ol>`,
      )
    }`
}

function renderCause(cause: ReportedCause, limits: PageLimits): Markup {
  const { id, title, count, verdict, checks, quote, reproduce, remedy, example } = cause
  return html`<li
    class="cause ${verdict === 'fail' || verdict === 'error' ? 'bad' : 'open'}"
    data-cause
    data-verdict="${verdict}"
    data-sections="${[...new Set(checks.map(({ section }) => section))].join(' ')}"
  >
    <h3>${renderProse(title)}<span class="hidden">:</span> <span class="count">${count}</span></h3>
    ${renderReproduction(title, reproduce)} ${remedy !== undefined && html`<p>Remedy: ${remedy}</p>`}
    <details>
      <summary>
        ${checks.length === 1 ? 'Sentence, response and check' : `Sentence, response and ${checks.length} checks`}
      </summary>
      ${quote !== undefined && html`<blockquote>${renderQuote(quote.section, quote.verbatim)}</blockquote>`}
      ${example !== undefined && html`${renderDifference(example)}${renderExampleResponse(example, reproduce, limits)}`}
      <ul>
        ${renderChecks(checks)}
      </ul>
      ${id !== undefined && html`<p>For a list of known failures: <code>${id}</code></p>`}
    </details>
  </li> `
}

function renderReproduction(title: string, reproduce: string | undefined): Markup | undefined {
  return reproduce === undefined
    ? undefined
    : renderCommand(reproduce, `Command that reproduces: ${title.replaceAll('`', '')}`)
}

/** Renders a line for each finding, and then a line for each reason why other checks were not testable. */
function renderChecks(checks: readonly CheckEntry[]): Markup {
  const findings = checks.filter(({ verdict }) => verdict !== 'not-testable')
  const notTestable = checks.filter(({ verdict }) => verdict === 'not-testable')
  const byReason = [...Map.groupBy(notTestable, ({ actual }) => actual)].toSorted(([, a], [, b]) => b.length - a.length)
  const lines = findings.map(
    (check) =>
      html`<li>
        ${renderVerdict(check.verdict)}
        <a href="#${buildAnchor(check)}"><code>${check.id}</code></a>
        ${check.title}: ${check.actual}
      </li>`,
  )
  const reasons = byReason.map(
    ([reason, group]) =>
      html`<li>
        ${renderVerdict(`${group.length} not testable`, 'not-testable')} ${reason.replace(/\.$/, '')}
        (${renderIds(group.map(({ id }) => id))})
      </li>`,
  )
  return html`${lines}${reasons}`
}
