import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from './start-emulator.ts'
import { creditsFromUnits } from './state/credits.ts'
import { fixed, LATENCY_PROFILES } from './timing/latency.ts'
import { chat } from './testing/call.ts'

const ROUNDS = 20
const PARALLEL = 200
const MAX_TOKENS = 20
/** A hang becomes a failure; a busy machine does not. */
const LONGEST_MS = 180_000

type Manner = 'whole' | 'stream' | 'leave'

/** Units that one of the requests holds: with answers up to max_tokens, what it costs. */
async function findHoldUnits(emulator: Emulator): Promise<number> {
  const { key } = emulator.createAccount({ credits: '10' })
  const response = await chat(emulator, { max_tokens: MAX_TOKENS, stream: true }, { key })
  const heldUnits = emulator.balance(key)?.heldUnits ?? 0
  await response.text()
  return heldUnits === 0 ? (emulator.balance(key)?.chargedUnits ?? 0) : heldUnits
}

/** Asks once and takes the answer in its manner. @returns the status */
async function ask(emulator: Emulator, key: string, manner: Manner): Promise<number> {
  const leaving = new AbortController()
  const fields = { max_tokens: MAX_TOKENS, stream: manner !== 'whole' }
  const response = await chat(emulator, fields, { key, signal: leaving.signal })
  if (manner === 'leave' && response.status === 200) {
    await response.body?.getReader().read()
    leaving.abort()
  } else {
    await response.arrayBuffer()
  }
  return response.status
}

/** An account with `holds` holds' worth of credits and a rest, asked by many at once. */
async function exhaust(emulator: Emulator, holdUnits: number, holds: number, manners: readonly Manner[]) {
  const startUnits = holds * holdUnits + (holds % holdUnits)
  const { key } = emulator.createAccount({ credits: creditsFromUnits(startUnits) })
  const requests = Array.from({ length: PARALLEL }, (_, index) =>
    ask(emulator, key, manners[index % manners.length] ?? 'whole'),
  )
  const statuses = await Promise.all(requests)
  await expect.poll(() => emulator.balance(key)?.heldUnits, { timeout: LONGEST_MS }).toBe(0)
  const { chargedUnits = Number.NaN } = emulator.balance(key) ?? {}
  const succeeded = statuses.filter((status) => status === 200).length
  expect(statuses.filter((status) => status === 402)).toHaveLength(PARALLEL - succeeded)
  expect(chargedUnits).toBeLessThanOrEqual(startUnits)
  return { succeeded, chargedUnits }
}

async function expectInvariant(emulator: Emulator): Promise<void> {
  const found = (await (await fetch(`${emulator.url}/__emulator/invariant`)).json()) as {
    holds: boolean
    accounts: { holds: boolean }[]
  }
  expect(found.accounts).toHaveLength(4 + 1 + ROUNDS)
  expect(found.accounts.filter((account) => !account.holds)).toEqual([])
  expect(found.holds).toBe(true)
}

test(
  'of many parallel requests that use their whole hold, exactly as many succeed as holds fit',
  async () => {
    await using emulator = await startEmulator({ answerTokens: 'fill' })
    const holdUnits = await findHoldUnits(emulator)
    for (let round = 0; round < ROUNDS; round += 1) {
      const holds = (round * 13) % 100
      const { succeeded, chargedUnits } = await exhaust(emulator, holdUnits, holds, ['whole', 'stream', 'stream'])
      expect([succeeded, chargedUnits]).toEqual([holds, holds * holdUnits])
    }
    await expectInvariant(emulator)
  },
  LONGEST_MS,
)

test(
  'of many parallel requests that use less or leave, at least as many succeed, and they never overspend',
  async () => {
    const latency = { ...LATENCY_PROFILES.instant, chat: { ttft: fixed(0), gap: fixed(1) } }
    await using emulator = await startEmulator({ latency, answerTokens: 12 })
    const holdUnits = await findHoldUnits(emulator)
    let extra = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const holds = 1 + ((round * 13) % 100)
      const { succeeded, chargedUnits } = await exhaust(emulator, holdUnits, holds, [
        'whole',
        'leave',
        'stream',
        'leave',
      ])
      expect(succeeded).toBeGreaterThanOrEqual(holds)
      expect(chargedUnits).toBeLessThan(succeeded * holdUnits)
      extra += succeeded - holds
    }
    expect(extra).toBeGreaterThan(0) // freed credits served others
    await expectInvariant(emulator)
  },
  LONGEST_MS,
)
