import type { CheckEntry, ExchangeEntry, ResponseEntry } from '../../conformance-document.ts'
import type { PageLimits } from '../limit-page-size.ts'
import { html, type Markup } from '../markup.ts'
import { renderPreformatted } from '../elements.ts'

/** Addresses of a gateway and its upstream, by which a report distinguishes the two ends. */
export interface GatewayAddresses {
  readonly target: { readonly url: string }
  readonly upstream: string
}

/** Renders the last exchanges of a check, only one if it passed. For a gateway, renders both ends side by side. */
export function renderEvidence(
  { evidence = [], verdict }: CheckEntry,
  limits: PageLimits,
  gateway?: GatewayAddresses,
): Markup | undefined {
  if (evidence.length === 0) return undefined
  const maxShown = verdict === 'pass' ? Math.min(1, limits.exchanges) : limits.exchanges
  const all = pairEnds(evidence, gateway)
  const shown = maxShown === 0 ? [] : all.slice(-maxShown)
  const left = all.length - shown.length
  return html`${left > 0 && html`<p class="muted">${left} ${shown.length > 0 && 'earlier '}${left === 1 ? 'exchange' : 'exchanges'} in the JSON document only.</p>`}${shown.map((ends) => renderEnds(ends, limits))}`
}

/** A request of the client, and the requests of the gateway to the upstream that belong to it. */
interface Ends {
  readonly client: ExchangeEntry
  readonly upstream: readonly ExchangeEntry[]
}

/** Adds each exchange with the upstream to the exchange of the client that started at about the same time. */
function pairEnds(evidence: readonly ExchangeEntry[], gateway: GatewayAddresses | undefined): Ends[] {
  const isUpstream = ({ request: { url } }: ExchangeEntry): boolean =>
    gateway !== undefined && isBelow(url, gateway.upstream) && !isBelow(url, gateway.target.url)
  const clients = evidence.filter((exchange) => !isUpstream(exchange))
  const byClient = Map.groupBy(evidence.filter(isUpstream), ({ startedAtMs }) => {
    const distance = (client: ExchangeEntry): number => Math.abs(client.startedAtMs - startedAtMs)
    return clients.toSorted((a, b) => distance(a) - distance(b))[0]
  })
  return clients
    .map((client) => ({ client, upstream: byClient.get(client) ?? [] }))
    .toSorted((a, b) => Math.sign(a.upstream.length) - Math.sign(b.upstream.length))
}

function isBelow(url: string, base: string): boolean {
  return url.startsWith(`${base.replace(/\/$/, '')}/`)
}

/** Who sent or received the request and the response of an exchange, for each end of a gateway. */
const CLIENT_LABELS = { request: 'Client sent', response: 'Client received' }
const UPSTREAM_LABELS = { request: 'Upstream received', response: 'Upstream sent' }

function renderEnds({ client, upstream }: Ends, limits: PageLimits): Markup {
  if (upstream.length === 0) return renderExchange(client, limits)
  return html`<div class="ends">
    <div><strong>Client ⇄ gateway</strong> ${renderExchange(client, limits, CLIENT_LABELS)}</div>
    <div>
      <strong>Gateway ⇄ upstream</strong>
      ${upstream.map((exchange) => renderExchange(exchange, limits, UPSTREAM_LABELS))}
    </div>
  </div> `
}

/** Renders the response to the request that a command repeats, or the last response of the check. */
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

function renderExchange(exchange: ExchangeEntry, limits: PageLimits, labels?: typeof CLIENT_LABELS): Markup {
  const { request, response, error, truncated, startedAtMs } = exchange
  const respond = response === null ? (error ?? 'no response') : String(response.status)
  return html`<details class="exchange" ${labels !== undefined && html`open`}>
    <summary>
      <code>${request.method} ${pathOf(request.url)}</code> → ${respond}
      <span class="muted">at ${Math.round(startedAtMs)} ms</span>
    </summary>
    ${labels !== undefined && html`<p class="end">${labels.request}</p>`}
    ${renderPreformatted(`${request.method} ${request.url}\n${headerLines(request.headers)}\n\n${request.body}`.trim(), labels?.request ?? 'Request')}
    ${labels !== undefined && html`<p class="end">${labels.response}</p>`}
    ${response !== null && renderResponse(response, limits, labels?.response)}
    ${error !== undefined && html`<p>${error}</p>`}
    ${truncated && html`<p class="muted">The suite truncated this exchange in its record.</p>`}
  </details> `
}

function renderResponse(
  { status, headers, body, events = [] }: ResponseEntry,
  limits: PageLimits,
  label = 'Response',
): Markup {
  const lines = events.slice(0, limits.events).map(({ atMs, data }) => `${atMs.toFixed(1).padStart(9)} ms  ${data}`)
  const left = events.length - lines.length
  return html`${renderPreformatted(`${status}\n${headerLines(headers)}\n\n${body}`.trim(), label)}
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
