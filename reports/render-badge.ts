import type { RunDocument } from './documents.ts'
import { getWorstVerdict, isGatewayRun, listRuns } from './gateway-run.ts'
import { escapeText } from './html/markup.ts'
import { formatRunVerdict, selectCountedChecks } from './conformance-verdict.ts'

/** Renders a badge as SVG, with the kind and the verdicts of the document, and no text of the target. */
export function renderBadge(document: RunDocument): string {
  const { message, color } = messageOf(document)
  return badge(document.kind, message, color)
}

const GREEN = '#2c7a3d'
const RED = '#b3261e'
const YELLOW = '#8a5a00'

interface BadgeMessage {
  readonly message: string
  readonly color: string
}

/** Returns the verdicts of all runs of a document, with the colour of the worst one. */
function messageOf(document: RunDocument): BadgeMessage {
  if (document.kind === 'load') return describeRun(document)
  const runs = listRuns(document)
  const worst = runs.find(({ verdict }) => verdict === getWorstVerdict(document)) ?? document
  return { message: runs.map((run) => describeRun(run).message).join(', '), color: describeRun(worst).color }
}

function describeRun(document: RunDocument): BadgeMessage {
  const { verdict } = document
  switch (verdict) {
    case 'conformant':
      return { message: document.kind === 'conformance' ? formatRunVerdict(document) : verdict, color: GREEN }
    case 'within-budgets':
      return { message: verdict.replaceAll('-', ' '), color: GREEN }
    case 'non-conformant': {
      const failed = document.kind === 'conformance' ? selectCountedChecks(document, 'fail').length : 0
      const message = nameRun(document) + (failed === 0 ? 'non-conformant' : `non-conformant: ${failed} failed`)
      return { message, color: RED }
    }
    case 'incomplete':
      return { message: nameRun(document) + verdict, color: YELLOW }
    case 'budget-broken':
    case 'invalid':
    case 'harness-error':
      return { message: nameRun(document) + verdict.replaceAll('-', ' '), color: RED }
  }
}

function nameRun(document: RunDocument): string {
  return document.kind === 'conformance' && isGatewayRun(document) ? 'gateway ' : ''
}

/** Mean width of a character at a font size of 11 px, from which the badge's width is calculated. */
const CHARACTER_PX = 6.3
const PADDING_PX = 16

function badge(label: string, message: string, color: string): string {
  const left = Math.round(label.length * CHARACTER_PX + PADDING_PX)
  const right = Math.round(message.length * CHARACTER_PX + PADDING_PX)
  const title = escapeText(`${label}: ${message}`)
  const text = (value: string, middle: number, width: number): string =>
    `<text x="${middle}" y="14" textLength="${width - PADDING_PX}" lengthAdjust="spacingAndGlyphs">${escapeText(value)}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${title}">
<title>${title}</title>
<clipPath id="round"><rect width="${left + right}" height="20" rx="3"/></clipPath>
<g clip-path="url(#round)"><rect width="${left}" height="20" fill="#3b434b"/><rect x="${left}" width="${right}" height="20" fill="${color}"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${text(label, left / 2, left)}${text(message, left + right / 2, right)}</g>
</svg>
`
}
