import { findOrBuildK6 } from '../../load/run-load.ts'

const PROGRESS_EVERY_S = 10

/**
 * Builds k6 if this machine does not have it, so that no test has to build it or waits without output. Global setup of
 * the tiers that use k6. If the build fails, tests that need k6 are skipped with the reason.
 */
export async function setup(): Promise<void> {
  const { env } = process
  await findOrBuildK6({
    path: env['TOUCHSTONE_K6'],
    cacheDirectory: env['TOUCHSTONE_CACHE'],
    environment: env,
    keepsGoCaches: true,
    onBuilding: ({ elapsedS }) => {
      if (elapsedS % PROGRESS_EVERY_S !== 0) return
      process.stderr.write(`Building k6 with its extension, once for this machine: ${elapsedS} s\n`)
    },
  })
}
