import { findOrBuildK6 } from '../../load/run-load.ts'

/** Seconds between two lines of progress. */
const PROGRESS_EVERY_S = 10

/**
 * Global setup of the tiers that use k6: builds k6 where this machine has none yet, so that no test builds it again and no test waits
 * for it in silence. A machine that cannot build it runs the tiers all the same; the tests then skip, with the reason.
 */
export async function setup(): Promise<void> {
  const { env } = process
  await findOrBuildK6({
    path: env['TOUCHSTONE_K6'],
    cacheDirectory: env['TOUCHSTONE_CACHE'],
    environment: env,
    onBuilding: (elapsedS) => {
      if (elapsedS % PROGRESS_EVERY_S !== 0) return
      process.stderr.write(`Building k6 with its extension, once for this machine: ${elapsedS} s\n`)
    },
  })
}
