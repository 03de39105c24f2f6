import { result } from 'k6/x/touchstone'
import { type CheckResult, type ExtensionResult, readExtensionResult } from './extension-result.ts'
import type { Load } from './load.ts'

/** k6 has it, and its types do not say so. */
declare const console: Readonly<Record<'info' | 'warn' | 'error', (line: string) => void>>

/** The part of k6's summary that is read here. */
export interface SummaryData {
  readonly root_group: { readonly checks: readonly CheckResult[] }
}

/** Contents of files by their path; nothing for k6's own summary on the terminal. */
export type Summary = Record<string, string> | undefined

/** What a scenario claims beside the checks of single answers. */
export interface Claims {
  /** Checks that have to be made: where one was not, that is told with 0 and 0. */
  readonly due?: readonly string[]
  /** Judges the whole run. */
  judge?(counted: ExtensionResult): CheckResult[]
}

/**
 * Makes the function that k6 calls at the end. For a runner it writes the result to its file, and nothing to the terminal;
 * by hand, k6 shows its own summary, and what the scenario found stands above it.
 */
export function makeSummary({ scenario, settings }: Load, claims: Claims = {}): (data: SummaryData) => Summary {
  return (data) => {
    const counted = readExtensionResult(JSON.parse(result()))
    const made = data.root_group.checks.map(({ name, passes, fails }) => ({ name, passes, fails }))
    const missing = (claims.due ?? []).filter((name) => !made.some((check) => check.name === name))
    const judged = claims.judge?.(counted) ?? []
    const checks = [...made, ...missing.map((name) => ({ name, passes: 0, fails: 0 })), ...judged]
    if (settings.resultPath !== undefined) {
      const whole: ExtensionResult = { ...counted, checks, run: { scenario, settings } }
      return { [settings.resultPath]: JSON.stringify(whole) }
    }
    for (const check of checks) tell(check)
    return undefined
  }
}

function tell({ name, passes, fails }: CheckResult): void {
  if (fails > 0) console.error(`does not hold: ${name} (${fails} of ${passes + fails})`)
  else if (passes > 0) console.info(`holds: ${name}`)
  else console.warn(`was not put to the test: ${name}`)
}
