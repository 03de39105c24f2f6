import { describe, expect, test } from 'vitest'
import type { Verdict } from '../outcomes/outcome.ts'
import { REQUIREMENTS } from '../requirements/all.ts'
import type { Level } from '../requirements/requirement.ts'
import { CHECKS } from './all.ts'
import { scriptedContext } from './scripted-context.ts'
import type { ScriptedResponse } from './scripted-context.ts'

/** What a check may say, by the level of its row (see outcomes/expect.ts). */
const ALLOWED: Readonly<Record<Level, readonly Verdict[]>> = {
  stated: ['pass', 'fail', 'not-testable'],
  convention: ['pass', 'warn', 'not-testable'],
  silent: ['observed', 'fail', 'not-testable'],
}

const JSON_TYPE = { 'content-type': 'application/json' }
const NESTED =
  '{"object":1,"data":[null,{"url":5},[]],"choices":[null,7,{"message":[]}],"usage":{"total_tokens":"x"},"error":[]}'
const EVENTS =
  'data: {"choices":[],"error":null}\n\ndata: 5\n\ndata: null\n\ndata: {"choices":[null]}\n\ndata: [DONE]\n\ndata: x\n\ndata: cut'

const TARGETS: Readonly<Record<string, ScriptedResponse>> = {
  'refuses all with 400': { status: 400, headers: JSON_TYPE, body: '{}' },
  'refuses all with 401': { status: 401 },
  'refuses all with 402': { status: 402 },
  'knows nothing and says nothing (404)': { status: 404, headers: JSON_TYPE, body: '{}' },
  'knows nothing (404)': { status: 404, body: '<html></html>' },
  'is outside the table (418)': { status: 418 },
  'limits all (429)': { status: 429, headers: { 'retry-after': '1' } },
  'limits all for an hour (429)': { status: 429, headers: { 'retry-after': '3600' } },
  'redirects all': { status: 302, headers: { location: 'http://elsewhere.test/' } },
  'breaks down (500)': { status: 500 },
  'is overloaded (503)': { status: 503, body: 'busy' },
  'answers nothing (204)': { status: 204 },
  'answers an empty object': { status: 200, headers: JSON_TYPE, body: '{}' },
  'answers null': { status: 200, headers: JSON_TYPE, body: 'null' },
  'answers HTML': { status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' },
  'answers odd members': { status: 200, headers: JSON_TYPE, body: NESTED },
  'answers odd events': { status: 200, headers: { 'content-type': 'text/event-stream' }, body: EVENTS },
  'answers everybody with the same chunk': {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: 'data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"."}}]}\n\n',
  },
  'answers random bytes': { status: 200, body: new Uint8Array([0xff, 0xfb, 0, 1, 0x49, 0x44, 0x33, 0xff]) },
  'answers an ID3 tag that never ends': {
    status: 200,
    body: new Uint8Array([0x49, 0x44, 0x33, 4, 0, 0, 127, 127, 127, 127, 0]),
  },
  'closes the connection': { status: 0, error: { kind: 'reset', message: 'reset' } },
  'closes in the middle': { status: 200, body: '{"id"', error: { kind: 'closed-early', message: 'closed' } },
  'never answers': { status: 0, error: { kind: 'timeout', message: 'timeout' } },
  'is not reached': { status: 0, error: { kind: 'refused', message: 'refused' } },
  'costs too much': { status: 0, error: { kind: 'budget', message: 'budget' } },
}

const levels = new Map(REQUIREMENTS.map(({ id, level }) => [id, level]))

interface Judged {
  readonly id: string
  readonly level: Level
  readonly verdict: Verdict
  readonly consequence: string
}

const known = new Map<string, Promise<readonly Judged[]>>()

/** Outcome of each check for a target that sends this response to every request. Cached by response. */
function verdictsAgainst(answer: ScriptedResponse): Promise<readonly Judged[]> {
  const key = JSON.stringify(answer)
  const judged = known.get(key) ?? judgeAnswer(answer)
  known.set(key, judged)
  return judged
}

async function judgeAnswer(answer: ScriptedResponse): Promise<readonly Judged[]> {
  return Promise.all(
    CHECKS.map(async (check) => {
      let sent = 0
      const context = scriptedContext(() => {
        sent += 1
        return answer
      })
      const outcome = await check.run(context)
      expect(sent, `${check.id} sends no more than it declares`).toBeLessThanOrEqual(check.cost.requests)
      const level = levels.get(check.requirement) ?? 'stated'
      return { id: check.id, level, verdict: outcome.verdict, consequence: outcome.consequence ?? '' }
    }),
  )
}

describe.each(Object.entries(TARGETS))('against a target that %s', (_name, answer) => {
  test('each check keeps to what its level allows, and each warning says who breaks', async () => {
    const found = await verdictsAgainst(answer)
    expect(found.filter(({ level, verdict }) => !ALLOWED[level].includes(verdict))).toEqual([])
    expect(found.filter(({ verdict, consequence }) => verdict === 'warn' && consequence === '')).toEqual([])
  })
})

async function idsWith(answer: ScriptedResponse | undefined, verdict: Verdict): Promise<readonly string[]> {
  return (await verdictsAgainst(answer ?? { status: 0 }))
    .filter((found) => found.verdict === verdict)
    .map(({ id }) => id)
}

test('a uniform error response passes no check of an error response: the control request gets it as well', async () => {
  for (const status of [400, 401, 402, 404]) {
    expect(await idsWith({ status }, 'pass')).toEqual([])
  }
})

test('an error on the side of the tester never fails a target', async () => {
  expect(await idsWith(TARGETS['is not reached'], 'fail')).toEqual([])
  expect(await idsWith(TARGETS['costs too much'], 'fail')).toEqual([])
})

test('unspecified behaviour fails only for a breakdown', async () => {
  const silent = CHECKS.filter(
    ({ requirement, declaration }) => levels.get(requirement) === 'silent' && declaration !== 'balance',
  ).map(({ id }) => id)
  for (const status of [200, 302, 400, 404, 405, 415]) {
    const failed = await idsWith({ status }, 'fail')
    expect(failed.filter((id) => silent.includes(id))).toEqual([])
  }
  const failed = new Set(await idsWith({ status: 500 }, 'fail'))
  expect(silent.filter((id) => !failed.has(id))).toEqual([])
})

/** Turn out badly only against a target that tells sizes, keys or forms of a request apart, or takes its time; like those that read a balance, they are shown in tests of their own, and by the proof. */
const NEED_MORE_THAN_ONE_ANSWER = [
  '2.4/image-size',
  '4.2/stream-options-accepted',
  '4.2/stream-accept-json',
  '4.2/stream-progress',
  '4.3/own-size',
  '7/other-key-unaffected',
]

test('each check of a sentence or a convention can turn out badly without a breakdown', async () => {
  const bad = new Set<string>()
  for (const answer of Object.values(TARGETS).filter(({ status, error }) => status < 500 && error === undefined)) {
    for (const verdict of ['fail', 'warn'] as const) {
      for (const id of await idsWith(answer, verdict)) bad.add(id)
    }
  }
  const never = CHECKS.filter(
    ({ id, requirement, declaration }) =>
      levels.get(requirement) !== 'silent' && declaration !== 'balance' && !bad.has(id),
  )
  expect(never.map(({ id }) => id)).toEqual(NEED_MORE_THAN_ONE_ANSWER)
})
