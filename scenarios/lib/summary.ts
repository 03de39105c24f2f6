import { sha256 } from 'k6/crypto'
import { result } from 'k6/x/touchstone'
import { type CheckResult, type ExtensionResult, readExtensionResult } from './extension-result.ts'
import type { LoadScenario } from './prepare-scenario.ts'

/** The console of k6, which k6's type definitions do not declare. */
declare const console: Readonly<Record<'info' | 'warn' | 'error', (line: string) => void>>

/** Fields of k6's summary data that this module reads. */
export interface K6SummaryData {
  readonly root_group: { readonly checks: readonly CheckResult[] }
}

/**
 * Return value of k6's `handleSummary`: file contents by path, or undefined to print k6's default summary on the
 * terminal.
 */
export type K6Summary = Record<string, string> | undefined

/** Checks of a scenario that go beyond single responses. */
export interface ScenarioChecks {
  /**
   * Names of checks that the run must execute. If the run did not execute one of them, its result has 0 passes and 0
   * fails.
   */
  readonly required?: readonly string[]
  checkRun?(counted: ExtensionResult): CheckResult[]
}

/**
 * Creates the `handleSummary` function of a script. If `resultPath` is set, the function only writes the result to that
 * file (`stdout` means the standard output). Otherwise it prints the checks of the scenario, and k6 prints its own
 * summary.
 */
export function createSummaryHandler(
  { scenario, settings }: LoadScenario,
  scenarioChecks: ScenarioChecks = {},
): (data: K6SummaryData) => K6Summary {
  return (data) => {
    const counted = readExtensionResult(JSON.parse(result()))
    const created = data.root_group.checks.map(({ name, passes, fails }) => ({ name, passes, fails }))
    const missing = (scenarioChecks.required ?? []).filter((name) => !created.some((check) => check.name === name))
    const evaluated = scenarioChecks.checkRun?.(counted) ?? []
    const checks = [...created, ...missing.map((name) => ({ name, passes: 0, fails: 0 })), ...evaluated]
    if (settings.resultPath !== undefined) {
      const whole: ExtensionResult = { ...counted, checks, run: { scenario, settings } }
      const text = JSON.stringify(whole)
      // The last member is the digest of the text without this member. The line ends after it, because k6 may write other
      // text to its standard output.
      return { [settings.resultPath]: `${text.slice(0, -1)},"sha256":"${sha256(text, 'hex')}"}\n` }
    }
    for (const check of checks) logCheck(check)
    return undefined
  }
}

function logCheck({ name, passes, fails }: CheckResult): void {
  if (fails > 0) console.error(`failed: ${name} (${fails} of ${passes + fails})`)
  else if (passes > 0) console.info(`passed: ${name}`)
  else console.warn(`not tested: ${name}`)
}
