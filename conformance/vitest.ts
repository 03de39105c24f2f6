import { beforeAll, describe, type RunnerTestSuite, test } from 'vitest'
import { makePrintable } from '../common/printable-text.ts'
import type { CheckEntry, ConformanceDocument } from '../reports/conformance-document.ts'
import {
  type ConformanceOptions,
  type ConformanceResult,
  planConformance,
  runConformance,
  InvalidOptionError,
} from './run-conformance.ts'

/** Options of a run, with a callback for its document. */
export interface ConformanceTestOptions extends Omit<ConformanceOptions, 'onProgress'> {
  /** Receives the document of the run, e.g. to write it to a file. */
  readonly onDocument?: (document: ConformanceDocument) => void | Promise<void>
}

const VERDICT_TEST_TITLE = 'the verdict of the run'

/**
 * Defines the suite in a test file: one test for each check, and one for the verdict. A check that is not testable
 * skips its test with the reason, and fails the test of the verdict. `acceptIncomplete: true` accepts such checks.
 *
 * All checks run before the first test reports its result, in the order and at the pace of the suite. If vitest selects
 * tests by name (`vitest -t 4.2/temperature`), only their checks run.
 * @throws InvalidOptionError if the options are invalid
 */
export function conformanceTests(options: ConformanceTestOptions): void {
  const { planned } = planConformance(options).plan
  let document: ConformanceDocument | undefined
  let exitCode: number | undefined

  describe('conformance', { retry: 0, concurrent: false }, () => {
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the fixtures that a hook needs off the pattern: none
    beforeAll(async ({}, suite) => {
      const only = chosenOf(suite)
      ;({ document, exitCode } = await runOrExplain({ ...options, ...(only === undefined ? {} : { only }) }))
      await options.onDocument?.(document)
    }, 0)

    for (const { check } of planned) {
      test(`${check.id}: ${check.title}`, (context) => {
        const entry = document?.checks.find(({ id }) => id === check.id)
        if (entry?.verdict === 'not-testable') context.skip(makePrintable(entry.actual))
        throwFailure(entry, options.strict === true)
      })
    }
    test(VERDICT_TEST_TITLE, () => {
      if (exitCode !== 0) throw new Error(describeVerdict(document))
    })
  })
}

/** Runs the suite. Removes the stack trace of an InvalidOptionError. */
async function runOrExplain(options: ConformanceOptions): Promise<ConformanceResult> {
  try {
    return await runConformance({ ...options })
  } catch (error) {
    if (error instanceof InvalidOptionError) error.stack = `${error.name}: ${error.message}`
    throw error
  }
}

/** Returns the IDs of the checks that vitest selected. Undefined for all, or the test of the verdict. */
function chosenOf(suite: Readonly<Pick<RunnerTestSuite, 'tasks'>>): readonly string[] | undefined {
  const chosen = suite.tasks.filter(({ mode }) => mode === 'run' || mode === 'queued').map(({ name }) => name)
  return chosen.includes(VERDICT_TEST_TITLE) ? undefined : chosen.map((name) => name.slice(0, name.indexOf(':')))
}

function throwFailure(entry: CheckEntry | undefined, isStrict: boolean): void {
  if (entry === undefined) throw new Error('The run ended without a result for this check.')
  const { verdict, expected, actual, consequence, reproduce, knownFailure } = entry
  const isFailure =
    verdict === 'fail' || verdict === 'error' || (isStrict && (verdict === 'warn' || verdict === 'declared'))
  if (!isFailure || knownFailure !== undefined) return
  const lines = [actual, `expected: ${expected.join('; ')}`, consequence, reproduce]
  throw new Error(makePrintable(lines.filter((line) => line !== undefined && line !== '').join('\n')))
}

function describeVerdict(document: ConformanceDocument | undefined): string {
  if (document === undefined) return 'The run ended without a document.'
  const { verdict, summary, target, remarks } = document
  const counts = Object.entries(summary).flatMap(([name, count]) => (count === 0 ? [] : [`${count} ${name}`]))
  const problem = target.problem === undefined ? [] : [target.problem]
  return makePrintable([`${target.url} is ${verdict}: ${counts.join(', ')}`, ...problem, ...remarks].join('\n'))
}
