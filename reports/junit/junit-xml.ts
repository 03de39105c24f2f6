import { truncateText } from '../html/limit-page-size.ts'
import { escapeText } from '../html/markup.ts'

/** A `testcase` element. */
export interface JunitCase {
  readonly name: string
  readonly className: string
  readonly seconds: number
  readonly outcome: 'passed' | 'failure' | 'error' | 'skipped'
  /** The failure in one line; absent for a case that passed. */
  readonly message?: string
  /** Further lines of the failure, below the message. */
  readonly details?: string
  /** Output of a case that passed. */
  readonly output?: string
}

/** A `testsuite` element. */
export interface JunitSuite {
  readonly name: string
  readonly cases: readonly JunitCase[]
  /** Output that belongs to the whole suite. */
  readonly output?: string
}

/** Maximum length of each text in characters. CI systems load the whole file, so it must stay small. */
const MAX_TEXT_CHARACTERS = 4000

/** Renders test suites as JUnit XML. The start time is in ISO 8601. */
export function renderJunitXml(name: string, startedAt: string, suites: readonly JunitSuite[]): string {
  const all = suites.flatMap(({ cases }) => cases)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name, ...totals(all) })}>`,
    ...suites.flatMap((suite) => suiteLines(suite, startedAt)),
    '</testsuites>',
    '',
  ].join('\n')
}

function suiteLines({ name, cases, output }: JunitSuite, startedAt: string): string[] {
  const timestamp = startedAt.replace(/(?:\.\d+)?Z$/, '')
  return [
    `  <testsuite ${attributes({ name, ...totals(cases), timestamp })}>`,
    ...cases.flatMap(caseLines),
    ...(output === undefined ? [] : [`    <system-out>${xmlText(output)}</system-out>`]),
    '  </testsuite>',
  ]
}

function caseLines({ name, className, seconds, outcome, message = '', details = '', output }: JunitCase): string[] {
  const head = `    <testcase ${attributes({ name, classname: className, time: seconds.toFixed(3) })}`
  const result = outcome === 'passed' ? [] : [resultLine(outcome, message, details)]
  const received = output === undefined ? [] : [`      <system-out>${xmlText(output)}</system-out>`]
  return result.length + received.length === 0 ? [`${head}/>`] : [`${head}>`, ...result, ...received, '    </testcase>']
}

function resultLine(outcome: 'failure' | 'error' | 'skipped', message: string, details: string): string {
  const type = outcome === 'skipped' ? {} : { type: outcome }
  return `      <${outcome} ${attributes({ message, ...type })}>${xmlText(details)}</${outcome}>`
}

function totals(cases: readonly JunitCase[]): Record<string, string> {
  const count = (outcome: JunitCase['outcome']): string => String(cases.filter((one) => one.outcome === outcome).length)
  return {
    tests: String(cases.length),
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: cases.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3),
  }
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${xmlText(value)}"`)
    .join(' ')
}

/** Truncates and escapes text. Replaces the characters that XML 1.0 forbids even as entities. */
function xmlText(text: string): string {
  return escapeText(truncateText(text, MAX_TEXT_CHARACTERS)).replace(/[\ufffe\uffff]/g, '\ufffd')
}
