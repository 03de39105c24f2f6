import type { Reporter, TestModule, Vitest } from 'vitest/node'
import { TIERS } from './tiers.ts'

/** Environment variable for machines that have all prerequisites: with the value `1`, a skipped test fails the run. */
const FAIL_ON_SKIPPED = 'TOUCHSTONE_NOTHING_LEFT_OUT'

/**
 * Creates a Vitest reporter. At the end of a run, it lists the skipped tests with the reasons given to
 * `context.skip()`, and the tiers that were not selected.
 */
export function createTierReporter(environment: Readonly<Record<string, string | undefined>>): Reporter {
  let vitest: Vitest | undefined
  return {
    onInit(context) {
      vitest = context
    },
    onTestRunEnd(modules) {
      const reasons = countSkipReasons(modules)
      if (reasons.size > 0) {
        process.stdout.write(`\nSkipped, because this machine lacks something\n${renderReasons(reasons)}\n`)
        if (environment[FAIL_ON_SKIPPED] === '1') {
          process.stdout.write(`${FAIL_ON_SKIPPED}=1 allows no skipped test: this run has failed.\n`)
          process.exitCode = 1
        }
      }
      const others = renderOtherTiers(vitest?.projects.map(({ name }) => name) ?? [])
      if (others !== undefined) process.stdout.write(`\n${others}\n`)
    },
  }
}

/**
 * Renders one line for each tier that did not run.
 * @param ran names of the tiers that ran
 * @returns undefined if all tiers ran, or if the caller selected tiers with a script such as `npm run test:k6`
 */
function renderOtherTiers(ran: readonly string[]): string | undefined {
  if (TIERS.some(({ name, isEveryday }) => isEveryday && !ran.includes(name))) return undefined
  const others = TIERS.filter(({ name }) => !ran.includes(name))
  if (others.length === 0) return undefined
  const width = Math.max(...others.map(({ name }) => name.length))
  const lines = others.map(
    ({ name, covers, needs }) => `  npm run test:${name.padEnd(width)}  ${covers} (needs ${needs})`,
  )
  const nightly = TIERS.filter(({ isNightly }) => isNightly).map(({ name }) => name)
  const all = `  npm run test:${'all'.padEnd(width)}  everything that this machine can run, except ${nightly.join(' and ')}`
  const isAllRun = others.every(({ isNightly }) => isNightly)
  return ['Not part of this run', ...lines, ...(isAllRun ? [] : [all])].join('\n')
}

function renderReasons(reasons: ReadonlyMap<string, number>): string {
  return [...reasons].map(([reason, count]) => `  ${count} ${count === 1 ? 'test' : 'tests'}: ${reason}`).join('\n')
}

function countSkipReasons(modules: readonly TestModule[]): Map<string, number> {
  const reasons = new Map<string, number>()
  for (const module of modules) {
    for (const test of module.children.allTests('skipped')) {
      const result = test.result()
      const reason = 'note' in result ? result.note : undefined
      // A skipped test without a reason was excluded with `-t` or `test.skip`.
      if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    }
  }
  return reasons
}
