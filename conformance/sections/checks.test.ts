import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isSummaryCheck } from '../engine/check.ts'
import type { Verdict } from '../findings/outcome.ts'
import { REQUIREMENTS } from './requirements.ts'
import type { RequirementLevel } from '../engine/requirement.ts'
import { CHECKS } from './checks.ts'
import { createScriptedContext } from '../prove/no-evidence-targets/scripted-context.ts'
import type { ScriptedResponse } from '../prove/no-evidence-targets/scripted-context.ts'

/**
 * Verdicts that a check of agents may return. A warning is valid although the requirement is unspecified, because a
 * partial feature breaks clients.
 */
const ALLOWED_FOR_AGENTS: readonly Verdict[] = ['pass', 'warn', 'observed', 'not-testable']

/** Verdicts that single checks may return besides those of their level. */
const ALSO_ALLOWED: Readonly<Record<string, Verdict>> = {
  // The handling is unspecified, but some error responses break clients.
  '7/large-body-chat': 'warn',
  '7/large-body-transcriptions': 'warn',
  // A fast target cannot show a buffer.
  '4.2/stream-progress': 'observed',
  '4.2/compressed-stream-progress': 'observed',
}

/** Verdicts that a check may return, by the level of its requirement (see findings/expect.ts). */
const ALLOWED: Readonly<Record<RequirementLevel, readonly Verdict[]>> = {
  stated: ['pass', 'fail', 'not-testable'],
  convention: ['pass', 'warn', 'not-testable'],
  unspecified: ['observed', 'not-testable'],
}

const JSON_TYPE = { 'content-type': 'application/json' }
const NESTED =
  '{"object":1,"text":5,"data":[null,{"url":5},[]],"choices":[null,7,{"message":[]}],"usage":{"total_tokens":"x"},"error":[]}'
const EVENTS =
  'data: {"choices":[],"error":null}\n\ndata: 5\n\ndata: null\n\ndata: {"choices":[null]}\n\ndata: [DONE]\n\ndata: x\n\ndata: cut'

const TARGETS: Readonly<Record<string, ScriptedResponse>> = {
  'rejects every request with 400': { status: 400, headers: JSON_TYPE, body: '{}' },
  'rejects every request with 401': { status: 401 },
  'rejects every request with 402': { status: 402 },
  'returns 404 with an empty object': { status: 404, headers: JSON_TYPE, body: '{}' },
  'returns 404 with HTML': { status: 404, body: '<html></html>' },
  'returns 418, which is not in the error table': { status: 418 },
  'returns 429 without Retry-After': { status: 429 },
  'returns 429 with Retry-After 1': { status: 429, headers: { 'retry-after': '1' } },
  'returns 429 with Retry-After 3600': { status: 429, headers: { 'retry-after': '3600' } },
  'redirects every request': { status: 302, headers: { location: 'http://elsewhere.test/' } },
  'returns 500': { status: 500 },
  'returns 503': { status: 503, body: 'busy' },
  'returns 204': { status: 204 },
  'returns an empty object': { status: 200, headers: JSON_TYPE, body: '{}' },
  'returns null': { status: 200, headers: JSON_TYPE, body: 'null' },
  'returns HTML': { status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' },
  'returns unusual members': { status: 200, headers: JSON_TYPE, body: NESTED },
  'returns a completion of 1000 tokens': {
    status: 200,
    headers: JSON_TYPE,
    body: '{"object":"chat.completion","usage":{"completion_tokens":1000}}',
  },
  'returns unusual events': { status: 200, headers: { 'content-type': 'text/event-stream' }, body: EVENTS },
  'returns the same chunk to every request': {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: 'data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"."}}]}\n\n',
  },
  'returns random bytes': { status: 200, body: new Uint8Array([0xff, 0xfb, 0, 1, 0x49, 0x44, 0x33, 0xff]) },
  'returns an endless ID3 tag': {
    status: 200,
    body: new Uint8Array([0x49, 0x44, 0x33, 4, 0, 0, 127, 127, 127, 127, 0]),
  },
  'closes the connection': { status: 0, error: { kind: 'reset', message: 'reset' } },
  'closes the connection during the response': {
    status: 200,
    body: '{"id"',
    error: { kind: 'closed-early', message: 'closed' },
  },
  'never responds': { status: 0, error: { kind: 'timeout', message: 'timeout' } },
  'refuses the connection': { status: 0, error: { kind: 'refused', message: 'refused' } },
  'exceeds the spend limit': { status: 0, error: { kind: 'spend-limit', message: 'budget' } },
}

const REQUEST_CHECKS = CHECKS.flatMap((check) => (isSummaryCheck(check) ? [] : [check]))

const levels = new Map(REQUIREMENTS.map(({ id, level }) => [id, level]))

interface CheckOutcome {
  readonly id: string
  readonly level: RequirementLevel
  readonly group: (typeof CHECKS)[number]['group']
  readonly verdict: Verdict
  readonly consequence: string
}

const known = new Map<string, Promise<readonly CheckOutcome[]>>()

/**
 * Returns the outcome of each check for a target that sends this response to every request. Caches the outcomes by
 * response.
 */
function verdictsAgainst(response: ScriptedResponse): Promise<readonly CheckOutcome[]> {
  const key = JSON.stringify(response)
  const outcomes = known.get(key) ?? runAllChecks(response)
  known.set(key, outcomes)
  return outcomes
}

async function runAllChecks(response: ScriptedResponse): Promise<readonly CheckOutcome[]> {
  return Promise.all(
    REQUEST_CHECKS.map(async (check) => {
      let sent = 0
      const context = createScriptedContext(() => {
        sent += 1
        return response
      })
      const outcome = await check.run(context)
      expect(sent, `${check.id} sends no more than it declares`).toBeLessThanOrEqual(check.cost.requests)
      const level = levels.get(check.requirement) ?? 'stated'
      return {
        id: check.id,
        level,
        group: check.group,
        verdict: outcome.verdict,
        consequence: outcome.consequence ?? '',
      }
    }),
  )
}

describe.each(Object.entries(TARGETS))('checks against a target that %s', (_name, response) => {
  test('checks return only verdicts that their level allows, and a consequence with each warning', async () => {
    const found = await verdictsAgainst(response)
    const isAllowed = ({ id, level, group, verdict }: CheckOutcome): boolean =>
      (group === 'agents' ? ALLOWED_FOR_AGENTS : ALLOWED[level]).includes(verdict) || ALSO_ALLOWED[id] === verdict
    expect(found.filter((one) => !isAllowed(one))).toEqual([])
    expect(found.filter(({ verdict, consequence }) => verdict === 'warn' && consequence === '')).toEqual([])
  })
})

async function idsWith(response: ScriptedResponse | undefined, verdict: Verdict): Promise<readonly string[]> {
  return (await verdictsAgainst(response ?? { status: 0 }))
    .filter((found) => found.verdict === verdict)
    .map(({ id }) => id)
}

test('no check of an error response passes if the control request gets the same error response', async () => {
  // An error response to HEAD also shows whether the target sends a body.
  for (const status of [400, 401, 402, 404]) {
    expect(await idsWith({ status }, 'pass')).toEqual(['4/head-body'])
  }
})

test('no check fails for an error on the tester’s side', async () => {
  expect(await idsWith(TARGETS['refuses the connection'], 'fail')).toEqual([])
  expect(await idsWith(TARGETS['exceeds the spend limit'], 'fail')).toEqual([])
})

test('no check except the breakdown checks fails for a breakdown', async () => {
  for (const response of Object.values(TARGETS).filter(({ status, error }) => status >= 500 || error !== undefined)) {
    expect(await idsWith(response, 'fail')).toEqual([])
  }
})

/**
 * Checks that no constant response can make fail. They fail only if responses differ by size, key or form of the
 * request, or if they are slow. Separate tests and mutants cover these checks and the checks that read a balance.
 */
const NEED_DIFFERENT_RESPONSES = [
  '1/own-answer',
  '1/own-answer-kept',
  '2.1/ids-differ',
  '2.3/conversation',
  '2.3/role-system',
  '2.3/role-assistant',
  '2.4/url-resolves',
  '2.4/file-kind',
  '2.4/file-media-type',
  '2.4/image-size',
  '4/json-content-type-chat',
  '4/json-content-type-images',
  '4/json-content-type-speech',
  '4.2/temperature-lowest',
  '4.2/temperature-lowest-with-point',
  '4.2/temperature-highest',
  '4.2/temperature-highest-with-point',
  '4.2/temperature-default',
  '4.2/temperature-default-with-point',
  '4.2/temperature-fraction',
  '4.2/temperature-each-model',
  '4.2/unicode-content',
  '2.3/role-system-each-model',
  '4.2/max-tokens-bound-stream',
  '8/max-tokens-default-stream',
  '4.2/stream-options-accepted',
  '4.2/stream-accept-json',
  '4.2/frame-form',
  '4.2/stream-progress',
  '4.2/compressed-stream-progress',
  '4.2/left-stream',
  '4.3/without-size',
  '4.3/own-size',
  '4.4/model-first',
  '4.4/file-first',
  '4.4/without-language',
  '4.4/language-accepted',
  '4.5/accept-octet-stream',
  '5/key-prefix',
  '5/concurrent-spending',
  '7/unusual-json-chat',
  '7/unusual-json-images',
  '7/unusual-json-speech',
  '7/broken-form-transcriptions',
  '7/other-key-unaffected',
  '8/max-tokens-default-given',
  '8/temperature-default',
  '8/voice-default',
]

test('every check of a stated sentence or a convention can fail or warn without a breakdown', async () => {
  const bad = new Set<string>()
  for (const response of Object.values(TARGETS).filter(({ status, error }) => status < 500 && error === undefined)) {
    for (const verdict of ['fail', 'warn'] as const) {
      for (const id of await idsWith(response, verdict)) bad.add(id)
    }
  }
  const never = REQUEST_CHECKS.filter(
    ({ id, requirement, declaration }) =>
      levels.get(requirement) !== 'unspecified' && declaration !== 'balance' && !bad.has(id),
  )
  expect(
    never.map(({ id }) => id).toSorted(),
    'no response of TARGETS makes these checks fail: add one, or add a check of several responses to this list',
  ).toEqual(NEED_DIFFERENT_RESPONSES.toSorted())
})

test('every check that keeps a connection runs alone, so that the connection is not idle between its requests', async () => {
  const keeping = new Map<string, boolean>()
  for (const check of REQUEST_CHECKS) {
    const context = createScriptedContext(() => ({ status: 400 }))
    const chat: typeof context.chat = (fields, options) => {
      if (options?.connection !== undefined) keeping.set(check.id, check.alone === true)
      return context.chat(fields, options)
    }
    await check.run({ ...context, chat })
  }
  expect(keeping.size).toBeGreaterThan(1)
  expect([...keeping].filter(([, isAlone]) => !isAlone)).toEqual([])
})

test('every check ID is a literal in exactly one place, so that a search finds the check', () => {
  const cwd = import.meta.dirname
  const texts = globSync('*/*.ts', { cwd })
    .filter((file) => !/mutants|requirements|reporting-checks|\.test\.ts$/.test(file))
    // A check also names its requirement.
    .map((file) => readFileSync(`${cwd}/${file}`, 'utf8').replaceAll(/\brequirement: '[^']*'/g, ''))
    .flatMap((source) => source.match(/(?<=')[^'\n]*(?=')/g) ?? [])
  const counted = CHECKS.map(({ id }) => ({ id, literals: texts.filter((text) => text === id).length }))
  expect(counted.filter(({ literals }) => literals !== 1)).toEqual([])
})
