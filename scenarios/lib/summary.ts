import { result } from 'k6/x/touchstone'
import { type CheckResult, type ExtensionResult, readExtensionResult } from './extension-result.ts'
import type { Load } from './load.ts'

/** Provided by k6, but not declared in its types. */
declare const console: Readonly<Record<'info' | 'warn' | 'error', (line: string) => void>>

/** The parts of k6's summary that this file reads. */
export interface SummaryData {
  readonly root_group: { readonly checks: readonly CheckResult[] }
}

/** Contents of files by path. Empty for k6's own summary on the terminal. */
export type Summary = Record<string, string> | undefined

/** Checks of a scenario apart from those of single responses. */
export interface ScenarioChecks {
  /** Names of checks that the run must make. A check that was not made is recorded with 0 passes and 0 fails. */
  readonly required?: readonly string[]
  /** Checks the whole run. */
  checkRun?(counted: ExtensionResult): CheckResult[]
}

/**
 * Makes the function that k6 calls at the end. With `resultPath` it writes the result to that file, and nothing to the terminal.
 * Otherwise k6 shows its own summary, below the checks of the scenario.
 */
export function makeSummary({ scenario, settings }: Load, claims: ScenarioChecks = {}): (data: SummaryData) => Summary {
  return (data) => {
    const counted = readExtensionResult(JSON.parse(result()))
    const made = data.root_group.checks.map(({ name, passes, fails }) => ({ name, passes, fails }))
    const missing = (claims.required ?? []).filter((name) => !made.some((check) => check.name === name))
    const judged = claims.checkRun?.(counted) ?? []
    const checks = [...made, ...missing.map((name) => ({ name, passes: 0, fails: 0 })), ...judged]
    if (settings.resultPath !== undefined) {
      const whole: ExtensionResult = { ...counted, checks, run: { scenario, settings } }
      return { [settings.resultPath]: JSON.stringify(whole) }
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
