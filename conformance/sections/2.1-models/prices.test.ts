import { describe, expect, test } from 'vitest'
import type { Check } from '../../engine/check.ts'
import { explainCharges, priceChecks } from './prices.ts'
import { readUnits, resolvePointer, subtractUnits } from '../shared/balance.ts'
import { describeOutcome } from '../../findings/sentences.ts'
import { createScriptedContext } from '../../prove/no-evidence-targets/scripted-context.ts'

const charge = (prompt: number, completion: number, units: number) => ({ prompt, completion, units })

test.each([
  ['all tokens at the listed price', [charge(10, 16, 4 * 26)], 'all-tokens'],
  ['a free prompt', [charge(10, 16, 4 * 16)], 'completion-only'],
  ['a single charge that contradicts the price', [charge(10, 16, 8 * 26)], undefined],
  [
    'a cheaper prompt',
    [charge(10, 16, 2 * 10 + 4 * 16), charge(90, 16, 2 * 90 + 4 * 16)],
    { byTable: 'completion', otherUnits: 2 },
  ],
  [
    'a more expensive completion',
    [charge(10, 16, 4 * 10 + 12 * 16), charge(90, 15, 4 * 90 + 12 * 15)],
    { byTable: 'prompt', otherUnits: 12 },
  ],
  ['twice the price', [charge(10, 16, 8 * 26), charge(90, 16, 8 * 106)], undefined],
  ['a charge for one additional token', [charge(10, 16, 4 * 27), charge(90, 32, 4 * 123)], undefined],
  ['no charge', [charge(10, 16, 0), charge(90, 16, 0)], undefined],
  ['a negative price of the prompt', [charge(10, 16, 4 * 16 - 10), charge(90, 16, 4 * 16 - 90)], undefined],
] as const)(
  'finds the prices that explain charges at a listed price of 4 units per token: %s',
  (_name, charges, reading) => {
    expect(explainCharges(4, charges)).toEqual(reading)
  },
)

test('reads a balance by its JSON pointer, as a number or as decimal text', () => {
  const read = (credits: unknown) => readUnits({ credits }, { path: '/', pointer: '/credits' })
  expect(read('999999999.9876')).toBe(9_999_999_999_876)
  expect([12.5, '-0.5', '1e3', '12,5', null].map(read)).toEqual([125_000, -5000, undefined, undefined, undefined])
  const json = { accounts: [{ 'a/b': { '~': 7 } }] }
  expect(resolvePointer(json, '/accounts/0/a~1b/~0')).toBe(7)
  expect(resolvePointer(5, '')).toBe(5)
  expect(resolvePointer(json, '/accounts/1')).toBeUndefined()
})

test('reads the sum of charges as a balance that falls, in credits', () => {
  const spend = { path: '/', pointer: '/spend', rises: true, factor: 0.01 }
  const [before = 0, after = 0] = [{ spend: 150 }, { spend: 170 }].map((json) => readUnits(json, spend))
  expect(subtractUnits(before, after)).toBe(2000)
})

describe('price checks', () => {
  const check = priceChecks[0]

  /**
   * Creates a target with a balance. `charge` returns the units that a chat costs; `drift` is the number of units that
   * other programs spend between two reads of the balance.
   */
  function target(charge: (prompt: number, completion: number) => number, drift = 0) {
    let units = 10_000_000
    return createScriptedContext(({ path, body }) => {
      if (path === '/balance') {
        units -= drift
        return { status: 200, body: JSON.stringify({ credits: String(units / 10_000) }) }
      }
      const text = Buffer.from(body ?? []).toString('utf8')
      const prompt = Math.ceil(text.length / 8)
      const completion = text.includes('"max_tokens":16') ? 16 : 64
      units -= charge(prompt, completion)
      const usage = { prompt_tokens: prompt, completion_tokens: completion }
      return { status: 200, body: JSON.stringify({ usage }) }
    })
  }

  async function runCheck(context: ReturnType<typeof target>) {
    const outcome = await (check as Check).run(context) // Safe because the suite contains a check for each of the eight prices.
    return `${outcome.verdict}: ${describeOutcome(outcome).actual}`
  }

  test.each([
    [
      'the listed prices',
      target((prompt, completion) => 4 * (prompt + completion)),
      /^pass: .*at the price of the table$/,
    ],
    ['less for prompts', target((prompt, completion) => prompt + 4 * completion), /^pass: .*, the prompt at 0\.0001/],
    ['other prices', target((prompt, completion) => 5 * (prompt + completion)), /^fail: charged 0\.0\d+ credits for/],
    ['for one additional token', target((prompt, completion) => 4 * (prompt + completion + 1)), /^fail: charged/],
    ['the same for every call', target(() => 100), /^fail: charged 0\.01 credits for .*, 0\.01 credits for/],
    ['nothing', target(() => 0), /^fail: charged 0 credits for/],
    ['while other programs spend credits', target(() => 100, 1), /^not-testable: other requests change the balance/],
  ])('checks the prices of a target that charges %s', async (_name, context, expected) => {
    expect(await runCheck(context)).toMatch(expected)
  })

  test('reports a wrong charge with the chat and both reads of the balance', async () => {
    const outcome = await (check as Check).run(target(() => 100)) // Safe for the same reason.
    const paths = outcome.sequence?.map(({ request }) => request.path)
    expect(paths).toEqual(['/balance', '/v1/chat/completions', '/balance'])
  })

  test('price checks are not testable without a readable balance', async () => {
    const unreadable = createScriptedContext(({ path }) =>
      path === '/balance' ? { status: 200, body: '{"credits": "many"}' } : { status: 200 },
    )
    expect(await runCheck(unreadable)).toBe(
      'not-testable: the balance at /balance has no number of credits at /credits, but "many"',
    )
    expect(await runCheck(createScriptedContext(() => ({ status: 404 })))).toMatch(
      /^not-testable: the balance at .* returned 404$/,
    )
  })
})
