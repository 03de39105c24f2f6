import type { IncomingMessage } from 'node:http'
import { runConformance } from '../../conformance/run-conformance.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'
import { type RequestHandler, startFaultyProxy } from './faulty-proxy.ts'

/** Invalid keys that a gateway has received. */
interface InvalidKeys {
  /** Whether the credentials of this request are invalid. */
  readonly isInvalid: boolean
  /** Number of requests with invalid credentials so far, including this one. */
  readonly invalid: number
}

/**
 * Runs the suite against a gateway in front of the emulator that treats invalid keys in a special way.
 * @param choose returns the handler for a request, or undefined to forward it
 */
export async function runWithInvalidKeyHandler(
  choose: (request: IncomingMessage, keys: InvalidKeys) => RequestHandler | undefined,
) {
  await using emulator = await startEmulator()
  const { funded, noCredits, limited } = emulator.keys
  const valid = new Set([funded, noCredits, limited].map((key) => `bearer ${key}`))
  let invalid = 0
  await using proxy = await startFaultyProxy(emulator.url, (_position, request) => {
    const isInvalid = !valid.has((request.headers.authorization ?? '').toLowerCase())
    if (isInvalid) invalid += 1
    return choose(request, { isInvalid, invalid })
  })
  const { document, exitCode } = await runConformance({
    url: proxy.url,
    keys: { funded, noCredits, limited },
  })
  return {
    exitCode,
    remarks: document.remarkFindings.map(({ code }) => code),
    failed: document.checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id),
    untested: document.checks.filter(({ verdict }) => verdict === 'not-testable'),
  }
}
