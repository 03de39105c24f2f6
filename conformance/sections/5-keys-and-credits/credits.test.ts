import { describe, expect, test } from 'vitest'
import type { CheckContext } from '../../engine/check.ts'
import type { RequestSpec } from '../../http/exchange.ts'
import { creditChecks, noCreditsModelsCheck } from './credits.ts'
import { createScriptedContext, createScriptedResult } from '../../prove/no-evidence-targets/scripted-context.ts'
import type { ScriptedResponse } from '../../prove/no-evidence-targets/scripted-context.ts'

const CHECKED = creditChecks.filter(
  (check) => check.requirement === '5/insufficient-credits' && check !== noCreditsModelsCheck,
)

const LIST = createScriptedResult({ path: '/v1/models' })

/**
 * Runs each check against a target that serves the funded key and sends the given responses, in order, to the
 * no-credits key.
 */
async function verdicts(
  noCreditsKey: readonly ScriptedResponse[],
  models: ScriptedResponse = LIST,
  changes: Partial<CheckContext> = {},
) {
  const found = new Set<string>()
  for (const check of CHECKED) {
    const responses = [...noCreditsKey]
    let sent = 0
    const target = ({ path, headers }: RequestSpec): ScriptedResponse => {
      sent += 1
      if (headers['authorization'] === 'Bearer sk-svc-test-funded') return createScriptedResult({ path })
      return path === '/v1/models' ? models : (responses.shift() ?? { status: 500 })
    }
    found.add((await check.run({ ...createScriptedContext(target), ...changes })).verdict)
    expect(sent).toBeLessThanOrEqual(check.cost.requests)
  }
  return [...found]
}

describe('checks of the no-credits key', () => {
  test('checks of the no-credits key pass if the response is 402', async () => {
    expect(await verdicts([{ status: 402 }])).toEqual(['pass'])
  })

  test.each([200, 400, 403, 404, 500])(
    'checks of the no-credits key fail on status %i if the funded key is served',
    async (status) => {
      expect(await verdicts([{ status }])).toEqual(['fail'])
    },
  )

  test('checks of the no-credits key accept one 429 before the 402', async () => {
    const limited = { status: 429, headers: { 'retry-after': '2' } }
    expect(await verdicts([limited, { status: 402 }])).toEqual(['pass'])
    expect(await verdicts([limited, { status: 429 }])).toEqual(['fail'])
    expect(await verdicts([{ status: 429 }, { status: 429 }])).toEqual(['fail'])
    const limitsFundedKey = () => true
    expect(await verdicts([{ status: 429 }, { status: 429 }], LIST, { limitsFundedKey })).toEqual(['not-testable'])
  })

  test('checks of the no-credits key are not testable if it was swapped with the limited key', async () => {
    const target = ({ path, headers }: RequestSpec): ScriptedResponse =>
      headers['authorization'] === 'Bearer sk-svc-test-limited' ? { status: 402 } : createScriptedResult({ path })
    for (const check of CHECKED) {
      expect(await check.run(createScriptedContext(target))).toMatchObject({
        verdict: 'not-testable',
        code: 'keys-swapped',
      })
    }
  })

  test('checks of the no-credits key are not testable if Retry-After exceeds half a minute', async () => {
    expect(await verdicts([{ status: 429, headers: { 'retry-after': '31' } }])).toEqual(['not-testable'])
  })

  test('checks of the no-credits key treat a 401 as an invalid key unless the key can list the models', async () => {
    expect(await verdicts([{ status: 401 }], { status: 401 })).toEqual(['not-testable'])
    expect(await verdicts([{ status: 401 }], LIST)).toEqual(['fail'])
    expect(await verdicts([{ status: 429 }, { status: 401 }], LIST)).toEqual(['fail'])
  })
})

test('requires a 402 for every model, ignores a 429, and fails if the target serves a model', async () => {
  const runCheck = (responses: Readonly<Record<string, number>>) => {
    const target = ({ path, headers, body }: RequestSpec): ScriptedResponse => {
      if (headers['authorization'] !== 'Bearer sk-svc-test-no-credits') return createScriptedResult({ path })
      const { model } = JSON.parse(Buffer.from(body ?? []).toString('utf8')) as { model: string } // The check sends a JSON body.
      const status = responses[model] ?? responses['others'] ?? 402
      return status === 200 ? createScriptedResult({ path }) : { status }
    }
    return noCreditsModelsCheck.run(createScriptedContext(target))
  }
  expect(await runCheck({})).toMatchObject({ verdict: 'pass', params: { seen: { rejected: 8, models: 8 } } })
  expect(await runCheck({ 'o3-mini': 429 })).toMatchObject({
    verdict: 'pass',
    params: { seen: { rejected: 7, models: 8 } },
  })
  expect(await runCheck({ 'o3-mini': 200 })).toMatchObject({ verdict: 'fail', difference: { model: 'o3-mini' } })
  expect(await runCheck({ others: 429 })).toMatchObject({ verdict: 'not-testable' })
})

test('waits for Retry-After before the second attempt, or ten seconds without it', async () => {
  for (const [headers, waitMs] of [
    [{ 'retry-after': '3' }, 3000],
    [{}, 10_000],
  ] as const) {
    const waits: number[] = []
    const responses: ScriptedResponse[] = [{ status: 200 }, { status: 429, headers }, { status: 402 }]
    const context = createScriptedContext(() => responses.shift() ?? { status: 500 })
    await CHECKED[0]?.run({
      ...context,
      wait: async (ms) => {
        waits.push(ms)
      },
    })
    expect(waits).toEqual([waitMs])
  }
})
