import type { CheckEntry, ExchangeEntry, ResponseEntry } from '../../conformance-document.ts'
import type { PageLimits } from '../limit-page-size.ts'
import { html, type Markup } from '../markup.ts'
import { renderPreformatted } from '../elements.ts'

/**
 * Renders the last requests and responses of a check, as many as the limits allow. For a check that passed, renders
 * only the last request and its response.
 */
export function renderEvidence({ evidence = [], verdict }: CheckEntry, limits: PageLimits): Markup | undefined {
  if (evidence.length === 0) return undefined
  const maxShown = verdict === 'pass' ? Math.min(1, limits.exchanges) : limits.exchanges
  const shown = maxShown === 0 ? [] : evidence.slice(-maxShown)
  const left = evidence.length - shown.length
  return html`${left > 0 && html`<p class="muted">${left} ${shown.length > 0 && 'earlier '}${left === 1 ? 'exchange' : 'exchanges'} in the JSON document only.</p>`}${shown.map((exchange) => renderExchange(exchange, limits))}`
}

/**
 * Renders the recorded response to the request that a command repeats. If there is none, renders the last response of
 * the check.
 */
export function renderExampleResponse(
  { evidence = [] }: CheckEntry,
  command: string | undefined,
  limits: PageLimits,
): Markup | undefined {
  const withResponse = evidence.filter(({ response }) => response !== null)
  const repeated = withResponse.findLast(
    ({ request }) => command?.includes(request.url) && command.includes(request.body),
  )
  const response = (repeated ?? withResponse.at(-1))?.response
  return limits.exchanges === 0 || response === undefined || response === null
    ? undefined
    : renderResponse(response, limits)
}

function renderExchange(exchange: ExchangeEntry, limits: PageLimits): Markup {
  const { request, response, error, truncated, startedAtMs } = exchange
  const respond = response === null ? (error ?? 'no response') : String(response.status)
  return html`<details class="exchange">
    <summary>
      <code>${request.method} ${pathOf(request.url)}</code> → ${respond}
      <span class="muted">at ${Math.round(startedAtMs)} ms</span>
    </summary>
    ${renderPreformatted(`${request.method} ${request.url}\n${headerLines(request.headers)}\n\n${request.body}`.trim(), 'Request')}
    ${response !== null && renderResponse(response, limits)} ${error !== undefined && html`<p>${error}</p>`}
    ${truncated && html`<p class="muted">The suite truncated this exchange in its record.</p>`}
  </details> `
}

function renderResponse({ status, headers, body, events = [] }: ResponseEntry, limits: PageLimits): Markup {
  const lines = events.slice(0, limits.events).map(({ atMs, data }) => `${atMs.toFixed(1).padStart(9)} ms  ${data}`)
  const left = events.length - lines.length
  return html`${renderPreformatted(`${status}\n${headerLines(headers)}\n\n${body}`.trim(), 'Response')}
  ${lines.length > 0 && renderPreformatted(lines.join('\n'), 'Events of the stream')}
  ${left > 0 && html`<p class="muted">${left} more events in the JSON document.</p>`}`
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

/** Returns the path and query of a URL, or the text unchanged if it is not a URL. */
function pathOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? url : parsed.pathname + parsed.search
}
