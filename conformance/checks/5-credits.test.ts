import { describe, expect, test } from 'vitest'
import type { RequestSpec } from '../http/exchange.ts'
import { creditChecks, noCreditsModels } from './5-credits.ts'
import { scriptedContext } from './scripted-context.ts'
import type { ScriptedResponse } from './scripted-context.ts'

const JUDGED = creditChecks.filter(
  (check) => check.requirement === '5/insufficient-credits' && check !== noCreditsModels,
)

/** Runs each check against a target that serves the funded key, and answers the other as told, in turn. */
async function verdicts(emptyKey: readonly ScriptedResponse[], models: ScriptedResponse = { status: 200 }) {
  const found = new Set<string>()
  for (const check of JUDGED) {
    const answers = [...emptyKey]
    let sent = 0
    const target = ({ path, headers }: RequestSpec): ScriptedResponse => {
      sent += 1
      if (headers['authorization'] === 'Bearer sk-svc-test-funded') return { status: 200 }
      return path === '/v1/models' ? models : (answers.shift() ?? { status: 500 })
    }
    found.add((await check.run(scriptedContext(target))).verdict)
    expect(sent).toBeLessThanOrEqual(check.cost.requests)
  }
  return [...found]
}

describe('the key of an account without credits', () => {
  test('is refused with 402', async () => {
    expect(await verdicts([{ status: 402 }])).toEqual(['pass'])
  })

  test.each([200, 400, 403, 404, 500])('fails the target with %i where the funded key is served', async (status) => {
    expect(await verdicts([{ status }])).toEqual(['fail'])
  })

  test('may meet a rate limit once', async () => {
    const limited = { status: 429, headers: { 'retry-after': '2' } }
    expect(await verdicts([limited, { status: 402 }])).toEqual(['pass'])
    expect(await verdicts([limited, { status: 429 }])).toEqual(['fail'])
    expect(await verdicts([{ status: 429 }, { status: 429 }])).toEqual(['fail'])
  })

  test('that is served while the limited key has no credits was given in its place', async () => {
    const target = ({ headers }: RequestSpec): ScriptedResponse => ({
      status: headers['authorization'] === 'Bearer sk-svc-test-limited' ? 402 : 200,
    })
    for (const check of JUDGED) {
      expect(await check.run(scriptedContext(target))).toMatchObject({
        verdict: 'not-testable',
        code: 'keys-swapped',
      })
    }
  })

  test('is not waited for longer than half a minute', async () => {
    expect(await verdicts([{ status: 429, headers: { 'retry-after': '31' } }])).toEqual(['not-testable'])
  })

  test('refused with 401 is no valid key, unless listing the models takes it', async () => {
    expect(await verdicts([{ status: 401 }], { status: 401 })).toEqual(['not-testable'])
    expect(await verdicts([{ status: 401 }], { status: 200 })).toEqual(['fail'])
    expect(await verdicts([{ status: 429 }, { status: 401 }], { status: 200 })).toEqual(['fail'])
  })
})

test('no model is free: a 429 says nothing, and one that is served fails the target', async () => {
  const judge = (answers: Readonly<Record<string, number>>) => {
    const target = ({ headers, body }: RequestSpec): ScriptedResponse => {
      if (headers['authorization'] !== 'Bearer sk-svc-test-empty') return { status: 200 }
      const { model } = JSON.parse(Buffer.from(body ?? []).toString('utf8')) as { model: string } // as the check sent it
      return { status: answers[model] ?? answers['others'] ?? 402 }
    }
    return noCreditsModels.run(scriptedContext(target))
  }
  expect(await judge({})).toMatchObject({ verdict: 'pass', params: { seen: { rejected: 8, models: 8 } } })
  expect(await judge({ 'o3-mini': 429 })).toMatchObject({
    verdict: 'pass',
    params: { seen: { rejected: 7, models: 8 } },
  })
  expect(await judge({ 'o3-mini': 200 })).toMatchObject({ verdict: 'fail', difference: { model: 'o3-mini' } })
  expect(await judge({ others: 429 })).toMatchObject({ verdict: 'not-testable' })
})

test('the wait before the second try is the one that the target names, else ten seconds', async () => {
  for (const [headers, waitMs] of [
    [{ 'retry-after': '3' }, 3000],
    [{}, 10_000],
  ] as const) {
    const waits: number[] = []
    const answers: ScriptedResponse[] = [{ status: 200 }, { status: 429, headers }, { status: 402 }]
    const context = scriptedContext(() => answers.shift() ?? { status: 500 })
    await JUDGED[0]?.run({
      ...context,
      wait: async (ms) => {
        waits.push(ms)
      },
    })
    expect(waits).toEqual([waitMs])
  }
})
