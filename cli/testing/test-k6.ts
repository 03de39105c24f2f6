import { findOrBuildK6, type K6 } from '../../load/run-load.ts'

let found: Promise<K6> | undefined

/** The k6 of this machine, found or built once, or why there is none. */
export function findTestK6(): Promise<K6> {
  const { env } = process
  found ??= findOrBuildK6({ path: env['TOUCHSTONE_K6'], cacheDirectory: env['TOUCHSTONE_CACHE'], environment: env })
  return found
}
