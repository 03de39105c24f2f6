import { formatSection } from '../../contract/sections.ts'
import type { MutantEntry, ProveDocument, ProveVerdict } from '../prove-document.ts'
import { formatCount } from '../../common/format-count.ts'
import { createTerminalColors, type TerminalColors, escapeTerminalText } from './terminal-text.ts'

export interface RenderProveOptions {
  readonly hasColor: boolean
}

/** Maximum number of checks shown in each list of problems. If the emulator is broken, all checks fail. */
const MAX_BASELINE_CHECKS = 10

const MAX_CHECKS_PER_MUTANT = 3

const HEADLINES: Readonly<Record<ProveVerdict, { readonly word: string; readonly color: 'green' | 'red' | 'yellow' }>> =
  {
    proven: { word: 'PROVEN', color: 'green' },
    'not-proven': { word: 'NOT PROVEN', color: 'red' },
    interrupted: { word: 'INTERRUPTED', color: 'yellow' },
    'harness-error': { word: 'HARNESS ERROR', color: 'red' },
  }

/** Renders each mutant with the checks that caught it, then the verdict and the shortfalls. */
export function renderProve(document: ProveDocument, { hasColor }: RenderProveOptions): string {
  const paint = createTerminalColors(hasColor)
  return [
    ...matrix(document.mutants, paint),
    '',
    headline(document, paint),
    facts(document),
    ...evidenceLine(document),
    ...sound(document, paint),
    ...shortfalls(document.mutants, paint),
    '',
  ].join('\n')
}

function matrix(mutants: readonly MutantEntry[], paint: TerminalColors): string[] {
  const width = Math.max(0, ...mutants.map(({ id }) => id.length))
  const sections = Map.groupBy(mutants, ({ id }) => id.split('/')[0] ?? '')
  return [...sections].flatMap(([section, rows]) => [
    '',
    paint.bold(escapeTerminalText(formatSection(section))),
    ...rows.map((row) => `  ${escapeTerminalText(row.id).padEnd(width)}  ${caughtBy(row, paint)}`),
  ])
}

function caughtBy({ kills, alsoTouched, shortfalls }: MutantEntry, paint: TerminalColors): string {
  const more = kills.length > MAX_CHECKS_PER_MUTANT ? ` and ${kills.length - MAX_CHECKS_PER_MUTANT} more` : ''
  const caught =
    kills.length === 0 ? '' : paint.green(escapeTerminalText(kills.slice(0, MAX_CHECKS_PER_MUTANT).join(', ')) + more)
  const beside = alsoTouched.length === 0 ? '' : paint.dim(`(${formatCount(alsoTouched.length, 'other')} touched)`)
  const short = shortfalls.length === 0 ? '' : paint.red(`✗ ${formatCount(shortfalls.length, 'shortfall')}, see below`)
  return [caught, beside, short].filter(Boolean).join('  ')
}

function headline({ verdict, full, selection }: ProveDocument, paint: TerminalColors): string {
  const { word, color } = HEADLINES[verdict]
  const qualifiers = [
    ...(selection === null ? [] : [`only ${selection.only.join(', ')}`]),
    ...(full ? ['whole suite against each mutant'] : []),
  ]
  return (
    paint.bold(paint[color](word)) + (qualifiers.length === 0 ? '' : ` (${escapeTerminalText(qualifiers.join('; '))})`)
  )
}

function facts({ mutants, checks, durationMs }: ProveDocument): string {
  const caught = mutants.filter(({ shortfalls }) => shortfalls.length === 0).length
  const proven = checks.filter((check) => check.caught.length > 0).length
  const seconds = (durationMs / 1000).toFixed(1)
  const manner = 'as expected'
  return `${caught} of ${formatCount(mutants.length, 'mutant')} detected ${manner}, by ${proven} of ${formatCount(checks.length, 'check')}, in ${seconds} s`
}

function sound(document: ProveDocument, paint: TerminalColors): string[] {
  const { failingWithout, checksWithoutMutant } = document
  const failing = failingWithout.map(({ check, actual }) => `  ${escapeTerminalText(`${check}: ${actual}`)}`)
  const without = checksWithoutMutant.map((check) => `  ${escapeTerminalText(check)}`)
  const evidence = (document.targetsWithoutEvidence ?? []).flatMap(({ target, unexpected, outdated }) => [
    ...unexpected.map(
      (check) =>
        `  ${escapeTerminalText(`${check}: passes against ${target}`)}, although it is not on the reviewed list`,
    ),
    ...outdated.map(
      (check) =>
        `  ${escapeTerminalText(`${check}: does not pass against ${target}`)}, although it is on the reviewed list`,
    ),
  ])
  return [
    ...listed('Failed without any mutant', failing, paint),
    ...listed('Checks without a mutant', without, paint),
    ...listed('Different from the reviewed list of passes without evidence', evidence, paint),
  ]
}

/** Renders a line about the targets that send meaningless responses. Renders nothing if the run did not test them. */
function evidenceLine({ targetsWithoutEvidence }: ProveDocument): string[] {
  if (targetsWithoutEvidence === undefined) return []
  const passes = targetsWithoutEvidence.reduce((sum, { unexpected }) => sum + unexpected.length, 0)
  const found = passes === 0 ? 'no check passed' : `${formatCount(passes, 'check')} passed`
  return [
    `${found} without a reviewed reason against the ${formatCount(targetsWithoutEvidence.length, 'target')} without evidence`,
  ]
}

function listed(heading: string, lines: readonly string[], paint: TerminalColors): string[] {
  if (lines.length === 0) return []
  const others = lines.length > MAX_BASELINE_CHECKS ? [`  and ${lines.length - MAX_BASELINE_CHECKS} more`] : []
  return ['', paint.bold(`${heading} (${lines.length})`), ...lines.slice(0, MAX_BASELINE_CHECKS), ...others]
}

function shortfalls(mutants: readonly MutantEntry[], paint: TerminalColors): string[] {
  const short = mutants.filter((row) => row.shortfalls.length > 0)
  if (short.length === 0) return []
  return [
    '',
    paint.bold(`Not detected as expected (${short.length})`),
    ...short.flatMap((row) => [
      '',
      `  ${paint.bold(escapeTerminalText(row.id))}  ${escapeTerminalText(row.breaks)}`,
      ...row.shortfalls.flatMap(({ check, why, expected, actual }) => [
        `    ${paint.red(escapeTerminalText(check))} ${escapeTerminalText(why)}`,
        `      ${paint.dim('expected')} ${escapeTerminalText(expected)}`,
        `      ${paint.dim('actual  ')} ${escapeTerminalText(actual)}`,
      ]),
    ]),
  ]
}
