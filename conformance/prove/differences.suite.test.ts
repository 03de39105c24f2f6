import { describe, expect, test } from 'vitest'
import { startEmulator } from '../../emulator/start-emulator.ts'
import type { ConformanceDocument } from '../../reports/conformance-document.ts'
import type { DifferencesOption } from '../differences/declared-differences.ts'
import { combineHooks } from '../mutation/change/responses.ts'
import { addStreamTiming } from '../mutation/change/stream-timing.ts'
import type { ProxyHooks } from '../mutation/proxy-hooks.ts'
import { runConformance } from '../run-conformance.ts'
import { EMBEDDED_EMULATOR, REVOKED_KEY } from '../targets/embedded-emulator.ts'
import { startProxy } from './proxy.ts'
import { DIFFERING_SERVERS } from './testing/differing-servers.ts'

async function run(hooks: ProxyHooks, differences: DifferencesOption, strict = false) {
  await using emulator = await startEmulator({ answerTokens: 'fill', options: EMBEDDED_EMULATOR.options })
  const proxy = await startProxy(emulator.url, addStreamTiming(hooks))
  const { funded, noCredits, limited, small } = emulator.keys
  try {
    return await runConformance({
      url: proxy.url,
      keys: { funded, noCredits, limited, small, revoked: REVOKED_KEY },
      declarations: EMBEDDED_EMULATOR.declarations,
      burst: true,
      differences,
      strict,
    })
  } finally {
    await proxy.close()
  }
}

/** Adds a fault to a server: it sees requests before the server, and responses after it. */
function addFault(server: ProxyHooks, fault: ProxyHooks): ProxyHooks {
  const { onRequest } = combineHooks(fault, server)
  const { onResponse } = combineHooks(server, fault)
  return { ...(onRequest && { onRequest }), ...(onResponse && { onResponse }) }
}

/** Lists the checks that were not testable for a reason other than a declared difference. */
function listUntested({ checks }: ConformanceDocument): readonly string[] {
  const untested = checks.filter(({ verdict, accepted }) => verdict === 'not-testable' && accepted === undefined)
  return untested.filter(({ level }) => level === 'stated').map(({ id, actual }) => `${id}: ${actual}`)
}

function listFailures({ checks }: ConformanceDocument): readonly string[] {
  return checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'error').map(({ id }) => id)
}

describe.concurrent.each(Object.entries(DIFFERING_SERVERS))('a server with the difference %s', (name, server) => {
  test(`conforms if ${name} is declared`, async () => {
    const { document, exitCode } = await run(server.hooks, server.differences)
    expect(listFailures(document)).toEqual([])
    expect(listUntested(document)).toEqual([])
    expect(exitCode).toBe(0)
    const declared = document.checks.filter(({ verdict }) => verdict === 'declared')
    expect(declared.map(({ differences }) => differences)).toContainEqual([name])
  })

  test(`fails if it breaks the declaration of ${name} in one place`, async () => {
    const { document, exitCode } = await run(addFault(server.hooks, server.broken), server.differences)
    expect(listFailures(document)).toContain(server.caughtBy)
    expect(exitCode).toBe(1)
  })
})
