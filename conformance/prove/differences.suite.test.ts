import { describe, expect, test } from 'vitest'
import { startEmulator } from '../../emulator/start-emulator.ts'
import type { ConformanceDocument } from '../../reports/conformance-document.ts'
import type { DifferencesOption } from '../differences/declared-differences.ts'
import { combineHooks } from '../mutation/change/responses.ts'
import { addStreamTiming } from '../mutation/change/stream-timing.ts'
import type { ProxyHooks } from '../mutation/proxy-hooks.ts'
import { runConformance } from '../run-conformance.ts'
import { EMBEDDED_EMULATOR, REVOKED_KEY } from '../targets/embedded-emulator.ts'
import { isSummaryCheck } from '../engine/check.ts'
import { CHECKS } from '../sections/checks.ts'
import { matchesResult } from '../mutation/result-match.ts'
import { MUTANTS } from '../sections/mutants.ts'
import { startProxy } from './proxy.ts'
import { DIFFERING_SERVERS } from './testing/differing-servers.ts'

async function run(hooks: ProxyHooks, differences: DifferencesOption, only: readonly string[] = []) {
  await using emulator = await startEmulator({ answerTokens: 'fill', options: EMBEDDED_EMULATOR.options })
  const proxy = await startProxy(emulator.url, addStreamTiming(hooks))
  const { funded, noCredits, limited, small } = emulator.keys
  try {
    return await runConformance({
      url: proxy.url,
      keys: { funded, noCredits, limited, small, revoked: REVOKED_KEY },
      declarations: EMBEDDED_EMULATOR.declarations,
      differences,
      only,
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

/** Faults of every kind of harm: lost data, wrong money, hidden errors, wrong statuses and wrong forms. */
const FAULTS = [
  '1/half-characters',
  '1/mixed-up',
  '2.1/model-left-out',
  '2.1/price-of-another-vendorc-4o',
  '2.3/no-usage',
  '2.3/other-model-named',
  '2.3/role-system-refused',
  '2.4/no-image',
  '2.4/size-always-512',
  '4.2/bound-of-one-model',
  '4.2/error-beside-others',
  '4.2/content-in-parts',
  '2.3/created-with-fraction',
  '4.2/usage-for-all',
  '4.3/size-256-taken',
  '4.5/no-sound',
  '5/on-credit-chat',
  '7/models-always-500',
  '7/model-by-its-beginning-speech',
  '8/some-chats-charged-to-another',
] as const

/** Differences that one server can have together. */
const COMBINED = [
  'validationErrors',
  'unknownModels',
  'unknownEndpoints',
  'maxTokensDefault',
  'mediaTypes',
  'doneEvent',
  'invalidKeys',
] as const

test.concurrent.each(FAULTS)('finds the fault %s of a server with several declared differences', async (id) => {
  const mutant = MUTANTS.find((one) => one.id === id)
  const servers = COMBINED.map((name) => DIFFERING_SERVERS[name])
  // In the reverse order, which must make no difference.
  const differences = Object.assign(
    {},
    ...servers.toReversed().map((server) => server.differences),
  ) as DifferencesOption
  const hooks = servers.reduce<ProxyHooks>((all, server) => combineHooks(all, server.hooks), mutant?.hooks ?? {})
  const expected = Object.entries(mutant?.kills ?? {})
  expect(expected).not.toEqual([])
  const kills = expected.map(([check]) => check)
  // Summary checks evaluate the requests of all other checks.
  const isOfAll = CHECKS.some((check) => isSummaryCheck(check) && kills.includes(check.id))
  const { document } = await run(hooks, differences, isOfAll ? [] : kills)
  const missed = expected.filter(([check, match]) => {
    const found = document.checks.find((one) => one.id === check)
    const isFinding = found?.verdict === 'fail' || found?.verdict === 'warn'
    return !isFinding || !matchesResult(match, found)
  })
  expect(missed).toEqual([])
})
