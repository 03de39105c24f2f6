import { expect, test } from 'vitest'
import { createScriptedContext } from '../../prove/no-evidence-targets/scripted-context.ts'
import { measureCharge } from './balance.ts'

/** Delay of each charge, in milliseconds. */
const DELAY_MS = 300
const BALANCE = { path: '/balance', pointer: '/credits', waitSeconds: 1 }

test('measures only the charge of its own request if the target charges an earlier one within the declared delay', async () => {
  let nowMs = 0
  const charges = [{ atMs: DELAY_MS, units: 7 }] // The charge of an earlier request.
  const context = createScriptedContext(({ path }) => {
    if (path !== BALANCE.path) {
      charges.push({ atMs: nowMs + DELAY_MS, units: 100 })
      return { status: 200 }
    }
    const charged = charges.filter(({ atMs }) => atMs <= nowMs).reduce((sum, { units }) => sum + units, 0)
    return { status: 200, body: JSON.stringify({ credits: 10 - charged / 10_000 }) }
  })
  const wait = async (ms: number): Promise<void> => void (nowMs += ms)
  const measured = { ...context, declared: { ...context.declared, balance: BALANCE }, wait }
  expect(await measureCharge(measured, () => context.chat())).toMatchObject({ units: 100 })
})
