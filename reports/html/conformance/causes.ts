import type { ReportedCause } from '../../causes.ts'
import { html, type Markup } from '../markup.ts'
import { renderCommand, renderDetails, renderProse, renderVerdict } from '../elements.ts'
import { renderQuote } from '../specification.ts'
import { buildAnchor } from './check.ts'

/** Number of causes that are visible without expanding the list, the same as in console reports. */
const FIRST_CAUSES = 5

/**
 * Renders a list of causes, starting with the one that affects most checks. Each has a title, the command that
 * demonstrates the cause, and a collapsed list of its checks.
 */
export function renderCauses(causes: readonly ReportedCause[]): Markup {
  const others = causes.slice(FIRST_CAUSES)
  return html`<ol class="causes">
      ${causes.slice(0, FIRST_CAUSES).map(renderCause)}
    </ol>
    ${
      others.length > 0 &&
      renderDetails(
        `Show ${others.length} more ${others.length === 1 ? 'cause' : 'causes'}`,
        html`<ol class="causes continued">
          ${others.map(renderCause)}
        </ol>`,
      )
    }`
}

function renderCause({ title, count, verdict, checks, quote, reproduce }: ReportedCause): Markup {
  return html`<li
    class="cause ${verdict === 'fail' || verdict === 'error' ? 'bad' : 'open'}"
    data-cause
    data-verdict="${verdict}"
    data-sections="${[...new Set(checks.map(({ section }) => section))].join(' ')}"
  >
    <h3>${renderProse(title)} <span class="count">${count}</span></h3>
    ${reproduce !== undefined && renderCommand(reproduce, `Command that reproduces: ${title}`)}
    <details>
      <summary>${checks.length === 1 ? 'Sentence and check' : `Sentence and ${checks.length} checks`}</summary>
      ${quote !== undefined && html`<blockquote>${renderQuote(quote.section, quote.verbatim)}</blockquote>`}
      <ul>
        ${checks.map(
          (check) =>
            html`<li>
              ${renderVerdict(check.verdict)}
              ${check.verdict === 'not-testable' ? html`<code>${check.id}</code>` : html`<a href="#${buildAnchor(check)}"><code>${check.id}</code></a>`}
              ${check.title}: ${check.actual}
            </li>`,
        )}
      </ul>
    </details>
  </li> `
}
