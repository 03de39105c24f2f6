import { expect, test } from 'vitest'
import { UNITS_PER_CREDIT } from '../../contract/facts.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'
import { createJsonResponse } from '../mutation/change/responses.ts'
import type { ProxyHooks } from '../mutation/proxy-hooks.ts'
import { runConformance } from '../run-conformance.ts'
import type { DeclaredBalance } from '../targets/declarations.ts'
import { EMBEDDED_EMULATOR } from '../targets/embedded-emulator.ts'
import { startProxy } from './proxy.ts'

/** Shows each balance only after a delay. `readUnits` returns the true balance in units. */
function delayBalance(delayMs: number, readUnits: () => number): ProxyHooks {
  const balances = [{ atMs: 0, units: readUnits() }]
  return {
    onResponse(response, { target }) {
      const nowMs = performance.now()
      if (target !== EMBEDDED_EMULATOR.declarations.balance?.path) {
        balances.push({ atMs: nowMs, units: readUnits() })
        return response
      }
      const shown = balances.findLast(({ atMs }) => atMs <= nowMs - delayMs) ?? balances[0]
      return createJsonResponse({ credits: (shown?.units ?? 0) / UNITS_PER_CREDIT })
    },
  }
}

async function judge(balance: DeclaredBalance | undefined) {
  await using emulator = await startEmulator({ options: EMBEDDED_EMULATOR.options })
  const { funded, noCredits } = emulator.keys
  const readUnits = (): number => emulator.balance(funded)?.availableUnits ?? 0
  const proxy = await startProxy(emulator.url, delayBalance(300, readUnits))
  const { document } = await runConformance({
    url: proxy.url,
    keys: { funded, noCredits },
    declarations: { ...EMBEDDED_EMULATOR.declarations, ...(balance && { balance }) },
    only: ['2.1/price-vendora-v4-flash', '8/pricing', '8/prompt-price'],
  })
  await proxy.close()
  return document.checks
}

const { balance } = EMBEDDED_EMULATOR.declarations

test('a target whose balance falls only after a delay does not fail', async () => {
  const checks = await judge(balance)
  expect(checks.filter(({ verdict }) => verdict === 'fail')).toEqual([])
})

test('measures the charges of a target that declares the delay of its balance', async () => {
  const params = { seen: { kind: 'charge', reading: 'all-tokens' } }
  const checks = await judge(balance && { ...balance, waitSeconds: 1 })
  expect(checks.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  // On a busy machine, a stream may end before the client leaves it.
  expect(checks.filter(({ id }) => id !== '8/left-charge-bound')).toMatchObject([
    { id: '2.1/price-vendora-v4-flash', verdict: 'pass', params },
    { id: '8/stream-price', verdict: 'pass', params },
    { id: '8/every-charge', verdict: 'pass' },
    { id: '8/prompt-price', verdict: 'observed', params: { seen: { kind: 'price', reading: 'all-tokens' } } },
  ])
})
