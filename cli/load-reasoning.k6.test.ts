import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Emulator, startEmulator } from '../emulator/start-emulator.ts'
import { buildEmulatorOptions, useK6 } from './testing/run-load.ts'

const runLoad = useK6()
const LATENCY = 'ttft=40ms,itl=5ms'
const REASONING = { 'reasoning-models': 'all', 'reasoning-tokens': '20' }
const emulators: Record<string, Emulator> = {}

beforeAll(async () => {
  const start = async (options: Readonly<Record<string, string>>) =>
    startEmulator(buildEmulatorOptions({ latency: LATENCY, answerTokens: '15', options }))
  emulators['SHOWN'] = await start({ ...REASONING, reasoning: 'reasoning_content' })
  emulators['HIDDEN'] = await start({ ...REASONING, reasoning: 'hidden' })
  emulators['SEVERAL'] = await start({ 'tokens-per-chunk': '4' })
})
afterAll(async () => {
  for (const emulator of Object.values(emulators)) await emulator.close()
})

async function run(name: 'SHOWN' | 'HIDDEN' | 'SEVERAL', line: string) {
  const { url = '', keys } = emulators[name] ?? {}
  const command = `--target ${url} --key ${keys?.funded} --iterations 12 ${line}`
  const { load, exitCode, stdout } = await runLoad(command)
  const { ttftMs, textTtftMs, itlMs, tpotMs } = load?.metrics['chat-stream'] ?? {}
  const output = load?.requests.byOperation['chat-stream']?.output
  return { load, exitCode, stdout, output, ttftMs, textTtftMs, itlMs, tpotMs }
}

test('measures the first token and the first text of a reasoning model separately', async () => {
  const { exitCode, stdout, output, ttftMs, textTtftMs, itlMs, tpotMs, load } = await run('SHOWN', '--max-tokens 40')
  expect([exitCode, output?.streams, output?.withUsage, output?.withoutText]).toEqual([0, 12, 12, 0])
  expect([ttftMs?.n, textTtftMs?.n, tpotMs?.n]).toEqual([12, 12, 12])
  // The emulator sends each token in an event of its own, and the text 20 tokens after the first one.
  expect(itlMs?.n).toBe((output?.completionTokens ?? 0) - 12)
  expect(textTtftMs?.min).toBeGreaterThan(139)
  expect(ttftMs?.min).toBeLessThan(textTtftMs?.min ?? 0)
  expect(load?.outputTokens).toMatchObject({ responses: 12, withUsage: 12, perStream: { n: 12 } })
  expect(stdout).toMatch(/chat-stream text ttft +12 /)
  expect(stdout).toContain('usage in 12 of 12 responses')
  expect(stdout).not.toMatch(/start lag|blocked/)
})

test('does not judge a budget on text if streams end before any text', async () => {
  const { load, exitCode, stdout, ttftMs, textTtftMs } = await run(
    'SHOWN',
    '--max-tokens 20 --budget ttft.p50<=60s --budget text_ttft.p50<=60s --verbose',
  )
  expect([exitCode, ttftMs?.n, textTtftMs]).toEqual([3, 12, undefined])
  expect(load?.budgets.map(({ verdict }) => verdict)).toEqual(['within', 'not measurable'])
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'text_ttft.p50 cannot be measured: 12 of 12 streams ended before any text, and text_ttft.p50 allows 50 %. All of them reached max_tokens: raise --max-tokens.',
  )
  expect(stdout).toMatch(/chat-stream start lag|chat-stream blocked/)
  const other = await run('SHOWN', '--max-tokens 20')
  expect([other.exitCode, other.stdout.replaceAll(/\s+/g, ' ')]).toEqual([
    0,
    expect.stringContaining('met its budget. 12 of 12 streams ended before any text, all of them at max_tokens'),
  ])
})

test('divides by the tokens of the interval if reasoning is hidden, or chunks contain several tokens', async () => {
  const hidden = await run('HIDDEN', '--max-tokens 40')
  expect([hidden.exitCode, hidden.tpotMs?.n]).toEqual([0, 12])
  expect(hidden.itlMs?.n).toBe((hidden.output?.completionTokens ?? 0) - 20 * 12 - 12)
  expect(hidden.stdout).not.toContain('text ttft')
  const several = await run('SEVERAL', '--max-tokens 40')
  expect([several.exitCode, several.load?.validation.violations]).toEqual([0, []])
  expect(several.itlMs?.n).toBeLessThan((several.output?.completionTokens ?? 0) / 3)
  for (const { itlMs, tpotMs, output } of [hidden, several]) {
    // All streams have as many tokens, and the sum of the inter-token latencies is the interval.
    const hiddenTokens = output === hidden.output ? 20 : 0
    const intervals = (itlMs?.n ?? 0) / 12
    const tokens = (((output?.completionTokens ?? 0) / 12 - hiddenTokens) * intervals) / (intervals + 1)
    expect(tpotMs?.mean).toBeCloseTo(((itlMs?.mean ?? 0) * (itlMs?.n ?? 0)) / 12 / tokens, 1)
  }
})
