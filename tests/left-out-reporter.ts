import type { Reporter, TestModule } from 'vitest/node'

/** Where this is set, a test that is left out is a failure: for machines that are meant to have everything. */
const NOTHING_LEFT_OUT = 'TOUCHSTONE_NOTHING_LEFT_OUT'

/**
 * Says at the end of a run which tests were left out, and why: `context.skip('Chromium is not installed: …')` gives the reason.
 * What is not run must not look like what passed.
 */
export function leftOutReporter(environment: Readonly<Record<string, string | undefined>>): Reporter {
  return {
    onTestRunEnd(modules) {
      const reasons = countReasons(modules)
      if (reasons.size === 0) return
      const lines = [...reasons].map(([reason, count]) => `  ${count} ${count === 1 ? 'test' : 'tests'}: ${reason}`)
      process.stdout.write(`\nLeft out on this machine\n${lines.join('\n')}\n`)
      if (environment[NOTHING_LEFT_OUT] === '1') {
        process.stdout.write(`Nothing may be left out here (${NOTHING_LEFT_OUT}=1): this run has failed.\n`)
        process.exitCode = 1
      }
    },
  }
}

function countReasons(modules: readonly TestModule[]): Map<string, number> {
  const reasons = new Map<string, number>()
  for (const module of modules) {
    for (const test of module.children.allTests('skipped')) {
      const result = test.result()
      const reason = 'note' in result ? result.note : undefined
      // Without a reason it was left out by the one who runs this, by naming other tests.
      if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    }
  }
  return reasons
}
