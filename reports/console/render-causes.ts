import { formatSource } from '../../contract/sections.ts'
import type { ReportedCause } from '../causes.ts'
import type { CheckEntry } from '../conformance-document.ts'
import { isGatewayCheck } from '../gateway-run.ts'
import { formatCount } from '../../common/format-count.ts'
import { MAX_COMMAND_CHARACTERS, type TerminalColors, escapeTerminalText } from './terminal-text.ts'

/** Maximum number of causes shown with their sentence and command. Each further cause takes one line. */
const MAX_FULL_CAUSES = 10
const MAX_REASONS = 10
const MAX_REMEDY_CHARACTERS = 500
const MAX_SEEN_CHARACTERS = 300

/** Renders the first causes with their sentences and commands. Each further cause takes one line. */
export function renderCauses(heading: string, causes: readonly ReportedCause[], paint: TerminalColors): string[] {
  if (causes.length === 0) return []
  const others = causes.slice(MAX_FULL_CAUSES)
  return [
    '',
    paint.bold(`${heading} (${causes.length})`),
    ...causes.slice(0, MAX_FULL_CAUSES).flatMap((cause, index) => ['', ...renderCause(cause, index + 1, paint)]),
    ...(others.length === 0 ? [] : ['', `  and ${others.length} more:`]),
    ...others.map((cause) => `  ${escapeTerminalText(cause.title)}: ${cause.count}${formatIds(cause, paint)}`),
  ]
}

function renderCause(cause: ReportedCause, number: number, paint: TerminalColors): string[] {
  const { title, count, quote, example, reproduce, remedy } = cause
  const lines: readonly LabelledText[] = [
    [
      'sentence',
      quote === undefined
        ? undefined
        : `${escapeTerminalText(formatSource(quote.section, quote.text))}: "${escapeTerminalText(quote.text)}"`,
    ],
    ['seen', example === undefined ? undefined : describeSeen(example)],
    ['consequence', example?.consequence === undefined ? undefined : escapeTerminalText(example.consequence)],
    ['remedy', remedy === undefined ? undefined : escapeTerminalText(remedy, MAX_REMEDY_CHARACTERS)],
    formatCommand(reproduce),
  ]
  const start = `${String(number).padStart(2)}. `
  return [
    `${start}${paint.bold(`${escapeTerminalText(title)}: ${count}`)}${formatIds(cause, paint)}`,
    ...lines.flatMap(([label, text]) =>
      text === undefined ? [] : [`${' '.repeat(start.length)}${paint.dim(label.padEnd(12))} ${text}`],
    ),
  ]
}

/** Codes of findings whose cause only names the field, because its value may differ between responses. */
const WRONG_VALUES: ReadonlySet<string> = new Set(['wrong-value', 'wrong-type'])

/** Describes what the check saw, if the title of the cause does not. A finding about a gateway names what differs between its ends. */
function describeSeen(check: CheckEntry): string | undefined {
  const { code, actual } = check
  return WRONG_VALUES.has(code) || isGatewayCheck(check) ? escapeTerminalText(actual, MAX_SEEN_CHARACTERS) : undefined
}

type LabelledText = readonly [label: string, text: string | undefined]

function formatCommand(reproduce: string | undefined): LabelledText {
  return ['see it', reproduce === undefined ? undefined : escapeTerminalText(reproduce, MAX_COMMAND_CHARACTERS)]
}

/** Returns the IDs of one or two checks, or the ID of the cause of more checks. Other reports list all IDs. */
function formatIds({ id, checks }: Pick<ReportedCause, 'id' | 'checks'>, paint: TerminalColors): string {
  const ids = checks.length > 2 ? [id ?? ''] : checks.map((check) => check.id)
  return checks.length > 2 && id === undefined
    ? ''
    : ` ${paint.dim(`(${ids.map((one) => escapeTerminalText(one)).join(', ')})`)}`
}

/** Renders the causes whose checks were all not testable. */
export function renderReasons(heading: string, causes: readonly ReportedCause[], paint: TerminalColors): string[] {
  if (causes.length === 0) return []
  const checks = causes.flatMap((cause) => cause.checks)
  const left = causes.length - MAX_REASONS
  return [
    '',
    paint.bold(`${heading} (${checks.length})`),
    ...causes
      .slice(0, MAX_REASONS)
      .map(
        ({ title, checks: ofReason }) =>
          `  ${formatCount(ofReason.length, 'check')}: ${escapeTerminalText(title)}${formatIds({ id: undefined, checks: ofReason }, paint)}`,
      ),
    ...(left > 0 ? [`  and ${formatCount(left, 'other reason')}`] : []),
  ]
}
