import type { ReportedCause } from '../causes.ts'
import type { CheckEntry } from '../conformance-document.ts'
import { formatCount, type Paint, escapeText } from './terminal-text.ts'

/** Maximum of causes shown with their sentence and command. The others take one line each. */
const SHOWN_IN_FULL = 10
/** Maximum of reasons why checks were not testable. */
const SHOWN_REASONS = 10
/** Maximal length of a command. A cut command cannot be copied, so the limit is that of a shell. */
const LONGEST_COMMAND = 8000

/** Renders causes, most checks first: the title, the sentence of the specification, and the command that shows it. */
export function renderCauses(heading: string, causes: readonly ReportedCause[], paint: Paint): string[] {
  if (causes.length === 0) return []
  const others = causes.slice(SHOWN_IN_FULL)
  return [
    '',
    paint.bold(`${heading} (${causes.length})`),
    ...causes.slice(0, SHOWN_IN_FULL).flatMap((cause, index) => ['', ...renderCause(cause, index + 1, paint)]),
    ...(others.length === 0 ? [] : ['', `  and ${others.length} more:`]),
    ...others.map((cause) => `  ${escapeText(cause.title)}: ${cause.count}${idsOf(cause.checks, paint)}`),
  ]
}

function renderCause(
  { title, count, checks, quote, reproduce }: ReportedCause,
  number: number,
  paint: Paint,
): string[] {
  const lines: [label: string, text: string | undefined][] = [
    [`section ${quote?.section ?? ''}`, quote === undefined ? undefined : `"${escapeText(quote.text)}"`],
    ['see it', reproduce === undefined ? undefined : escapeText(reproduce, LONGEST_COMMAND)],
  ]
  const start = `${String(number).padStart(2)}. `
  return [
    `${start}${paint.bold(`${escapeText(title)}: ${count}`)}${idsOf(checks, paint)}`,
    ...lines.flatMap(([label, text]) =>
      text === undefined ? [] : [`${' '.repeat(start.length)}${paint.dim(label.padEnd(12))} ${text}`],
    ),
  ]
}

/** Names one or two checks. More of them are in the other reports. */
function idsOf(checks: readonly CheckEntry[], paint: Paint): string {
  return checks.length > 2 ? '' : ` ${paint.dim(`(${checks.map(({ id }) => id).join(', ')})`)}`
}

/** Renders why checks were not testable, other than by a cause of failures. */
export function renderReasons(causes: readonly ReportedCause[], paint: Paint): string[] {
  if (causes.length === 0) return []
  const checks = causes.flatMap((cause) => cause.checks)
  const left = causes.length - SHOWN_REASONS
  return [
    '',
    paint.bold(`Not testable (${checks.length})`),
    ...causes
      .slice(0, SHOWN_REASONS)
      .map(
        (cause) =>
          `  ${formatCount(cause.checks.length, 'check')}: ${escapeText(cause.title)}${idsOf(cause.checks, paint)}`,
      ),
    ...(left > 0 ? [`  and ${formatCount(left, 'other reason')}`] : []),
  ]
}
