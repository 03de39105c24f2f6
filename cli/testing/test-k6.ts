import { describeFinding, findOrBuildK6 } from '../../load/run-load.ts'
import { formatLoadOptionName } from '../messages/load-messages.ts'

export type TestK6 = { readonly path: string } | { readonly problem: string }

let found: Promise<TestK6> | undefined

/** Finds or builds k6, once per process. Returns the reason if k6 is not available. */
export function findTestK6(): Promise<TestK6> {
  found ??= findOrDescribe()
  return found
}

/** Returns the path of k6, for tests that are skipped without k6. */
export async function getTestK6Path(): Promise<string> {
  const k6 = await findTestK6()
  if ('problem' in k6) throw new Error(k6.problem)
  return k6.path
}

async function findOrDescribe(): Promise<TestK6> {
  const { env } = process
  const k6 = await findOrBuildK6({
    path: env['TOUCHSTONE_K6'],
    cacheDirectory: env['TOUCHSTONE_CACHE'],
    environment: env,
  })
  return 'path' in k6 ? k6 : { problem: describeFinding(k6.finding, formatLoadOptionName) }
}
