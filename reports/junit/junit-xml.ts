import { clipText } from '../html/limit-page-size.ts'
import { escapeText } from '../html/markup.ts'

/** A case as CI shows it. */
export interface JunitCase {
  readonly name: string
  readonly className: string
  readonly seconds: number
  readonly outcome: 'passed' | 'failure' | 'error' | 'skipped'
  /** Why it did not pass, in one line. */
  readonly message?: string
  /** What stands under it. */
  readonly details?: string
  /** What a case that passed has to say. */
  readonly output?: string
}

/** A suite of cases. */
export interface JunitSuite {
  readonly name: string
  readonly cases: readonly JunitCase[]
}

/** Readers of CI load such a file whole, and show a message in a line. */
const LONGEST_TEXT = 4000

/** Suites as JUnit XML. @param startedAt ISO 8601 */
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

function suiteLines({ name, cases }: JunitSuite, startedAt: string): string[] {
  const timestamp = startedAt.replace(/(?:\.\d+)?Z$/, '')
  return [
    `  <testsuite ${attributes({ name, ...totals(cases), timestamp })}>`,
    ...cases.flatMap(caseLines),
    '  </testsuite>',
  ]
}

function caseLines({ name, className, seconds, outcome, message = '', details = '', output }: JunitCase): string[] {
  const head = `    <testcase ${attributes({ name, classname: className, time: seconds.toFixed(3) })}`
  const result = outcome === 'passed' ? [] : [resultLine(outcome, message, details)]
  const said = output === undefined ? [] : [`      <system-out>${xmlText(output)}</system-out>`]
  return result.length + said.length === 0 ? [`${head}/>`] : [`${head}>`, ...result, ...said, '    </testcase>']
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

/** XML 1.0 admits no control character but tab and line feed, not even as an entity; U+FFFE and U+FFFF neither. */
function xmlText(text: string): string {
  return escapeText(clipText(text, LONGEST_TEXT)).replace(/[\ufffe\uffff]/g, '\ufffd')
}
