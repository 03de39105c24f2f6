import type { CheckEntry, RequirementEntry } from '../../conformance-document.ts'
import type { PageLimits } from '../limit-page-size.ts'
import { html, type HtmlValue, type Markup } from '../markup.ts'
import { renderCommand, renderVerdict } from '../elements.ts'
import { renderQuote } from '../specification.ts'
import { findByteDifference, nameEnds } from './difference.ts'
import { type GatewayAddresses, renderEvidence } from './exchange.ts'

/** Requirements and their sentences in the specification, keyed by requirement ID. */
export type RequirementsById = ReadonlyMap<string, RequirementEntry>

/** Renders a finding, collapsed to its title. The evidence of a gateway shows its two ends side by side. */
export function renderFinding(
  check: CheckEntry,
  quotes: RequirementsById,
  limits: PageLimits,
  gateway?: GatewayAddresses,
): Markup {
  const tone = check.verdict === 'warn' ? 'open' : 'bad'
  const quote = quotes.get(check.requirement)?.quote
  return html`<details class="finding ${tone}" ${renderFilterAttributes(check)}>
    <summary>
      <h3>${renderVerdict(check.verdict)} ${check.title}</h3>
      ${limits.exchanges > 0 && html`<span class="brief">${check.actual}</span>`}
    </summary>
    <div id="${buildAnchor(check)}">
      ${quote !== undefined && html`<blockquote>${renderQuote(check.section, quote)}</blockquote>`}
      ${renderReasons(check)} ${renderEvidence(check, limits, gateway)}
      <p class="muted"><code>${check.id}</code> ${renderAnchorLink(check)}</p>
    </div>
  </details> `
}

/** Renders a check as an expandable line. If the page also shows the check as a finding, the line links to it. */
export function renderCheckLine(check: CheckEntry, isShownAbove: boolean, limits: PageLimits): Markup {
  const summary = html`<summary>
    ${renderVerdict(check.verdict)} ${check.title} <code class="muted">${check.id}</code>
  </summary>`
  return isShownAbove
    ? html`<details class="check" ${renderFilterAttributes(check)}>
        ${summary}
        <p><a href="#${buildAnchor(check)}">Shown above, with its evidence</a></p>
      </details> `
    : html`<details class="check" ${renderFilterAttributes(check)}>
        ${summary}
        <div id="${buildAnchor(check)}">
          ${renderReasons(check)}${renderEvidence(check, limits)}
          ${limits.exchanges > 0 && html`<p>${renderAnchorLink(check)}</p>`}
        </div>
      </details> `
}

/** Renders the attributes by which the page's script finds and filters a check. */
function renderFilterAttributes({ id, verdict, section }: CheckEntry): Markup {
  return html`data-check="${id}" data-verdict="${verdict}" data-section="${section}"`
}

function renderAnchorLink(check: CheckEntry): Markup {
  return html`<a class="anchor" href="#${buildAnchor(check)}">Link to this check</a>`
}

/** HTML attributes, with a space before them, that colour the expected and the actual behaviour, keyed by label. */
const DIFFERENCE: Readonly<Partial<Record<string, Markup>>> = {
  Expected: html` class="expected"`,
  Actual: html` class="actual"`,
}

function renderReasons(check: CheckEntry): Markup {
  const { differences, consequence, knownFailure, accepted, reproduce } = check
  return renderRows(check, [
    ...listDifference(check),
    [
      'Declared difference',
      differences !== undefined && html`<a href="#differences"><code>${differences.join(', ')}</code></a>`,
    ],
    ['Consequence', consequence],
    ['Known failure', knownFailure],
    ['Accepted', accepted],
    ['See it', reproduce !== undefined && renderCommand(reproduce, 'Command that sends the request again')],
  ])
}

export function renderDifference(check: CheckEntry): Markup {
  return renderRows(check, listDifference(check))
}

type SaidRow = readonly [label: string, value: HtmlValue]

function listDifference(check: CheckEntry): SaidRow[] {
  const { expected, actual, declared } = check
  return [
    ['Expected', expected.length > 0 && expected.join(', or ')],
    ['Declared', declared],
    [check.verdict === 'not-testable' ? 'Missing' : 'Actual', actual],
    ['Bytes', isDifference(check) && renderBytes(check)],
  ]
}

/** Renders the bytes in which a forwarded text differs from the text that was sent. */
function renderBytes(check: CheckEntry): HtmlValue {
  const bytes = findByteDifference(check)
  const { sender, receiver } = nameEnds(check)
  return (
    bytes !== undefined &&
    html`${sender} <code>${bytes.sent || 'nothing'}</code>, ${receiver} <code>${bytes.arrived || 'nothing'}</code>`
  )
}

function isDifference({ verdict }: CheckEntry): boolean {
  return verdict === 'fail' || verdict === 'warn'
}

function renderRows(check: CheckEntry, rows: readonly SaidRow[]): Markup {
  const shown = rows.filter(([, value]) => value !== undefined && value !== false)
  return html`<dl class="outcome">
    ${shown.map(
      ([label, value]) =>
        html`<dt>${label}</dt>
          <dd${isDifference(check) && DIFFERENCE[label]}>${value}</dd>`,
    )}
  </dl>`
}

/** Returns the ID of a check's element, to which links refer. */
export function buildAnchor({ id }: CheckEntry): string {
  return `check-${id.replaceAll(/[^\w.-]+/g, '-')}`
}
