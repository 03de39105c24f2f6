import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseBudget } from '../verdict/parse-budget.ts'
import type { LoadOptions } from '../options/load-options.ts'
import { findSpendExcess, summarizePlan } from './summarize-plan.ts'
import { TEST_LOAD_OPTIONS } from '../testing/default-options.ts'
import { buildTurnSettings, estimateTotalCost, estimateTurnCost, TURN_ORDER } from '../upstream/plan-turns.ts'
import { planLoad } from './plan-load.ts'

const plan = (changes: Partial<LoadOptions>) => planLoad({ ...TEST_LOAD_OPTIONS, ...changes })

test('applies the default budget if none is given', async () => {
  const { budgets, settings } = await plan({})
  expect(budgets).toEqual([parseBudget('failed.rate<=1%')])
  expect(settings.thresholds).toEqual({ http_req_failed: ['rate<=0.01'] })
})

test.each<[string, Partial<LoadOptions>, string]>([
  [
    'a budget on an operation that the scenario does not send',
    { budgets: ['images.e2e.p50<=1s'] },
    'it sends chat-stream',
  ],
  ['a budget on token timing without streams', { scenario: 'speech', budgets: ['itl.p50<=1s'] }, 'has no streams'],
  [
    'a budget on output tokens without chats',
    { scenario: 'images', budgets: ['tokens.rate>=5/s'] },
    'images has no output tokens: use chat, chat-stream or mixed',
  ],
  ['several choices in a stream', { body: { n: 2 } }, 'Invalid body. It has an n above 1, and a stream is measured'],
  ['trace arrivals without a file', { arrivals: 'trace' }, 'trace is missing'],
  ['iterations with planned arrivals', { rate: 1, iterations: 5 }, 'iterations cannot be combined with rate'],
  ['a rate with a closed loop', { arrivals: 'closed', rate: 1 }, 'rate cannot be combined with arrivals'],
  [
    'a missing rate limit',
    { scenario: 'rate-limit', target: 'http://a' },
    'limit is missing. The scenario rate-limit needs it',
  ],
  ['a missing balance', { scenario: 'credit-drain', target: 'http://a' }, 'smallBalance is missing'],
  [
    'a model without a known price',
    { scenario: 'credit-drain', models: [{ operation: 'chat', model: 'own' }] },
    'no price for own',
  ],
  [
    'two models for all operations',
    {
      models: [
        { operation: null, model: 'a' },
        { operation: null, model: 'b' },
      ],
    },
    'Both a and b are given for all operations',
  ],
  ['weights for a scenario of one operation', { weights: { chat: 1 } }, 'Invalid weights. The scenario chat-stream'],
  [
    'a spend limit for a target without credits',
    { credits: false, maxCredits: '1' },
    'maxCredits cannot be combined with credits',
  ],
  [
    'the scenario credit-drain for a target without credits',
    { credits: false, scenario: 'credit-drain' },
    'scenario cannot be combined with credits',
  ],
  ['a start time in the past', { startAtUnixMs: 1 }, 'before this run was ready'],
  ['more requests than a run can plan', { rate: 1000, durationS: 3600 }, 'a run can plan at most 2000000'],
  ['fewer clients than segments', { segment: { index: 2, count: 3 } }, '2 clients cannot be split into 3 segments'],
  ['iterations with a duration', { iterations: 5, durationS: 3 }, 'iterations cannot be combined with durationS'],
  ['more clients than the maximum', { rate: 1, vus: 2_000_000_000 }, 'at most 10000 clients'],
  ['a key with a line break', { key: 'sk-svc-a\nb' }, 'Invalid key. It contains a space or a character'],
  ['a trace and a rate', { trace: 'x', rate: 1 }, 'rate cannot be combined with trace'],
])('rejects %s', async (_name, changes, words) => {
  const file = join(await mkdtemp(join(tmpdir(), 'touchstone-trace-')), 'trace.jsonl')
  await writeFile(file, '{"atMs": 0, "promptTokens": 1, "outputTokens": 1}\n')
  await expect(plan({ ...changes, ...(changes.trace === undefined ? {} : { trace: file }) })).rejects.toThrow(words)
})

test('rejects lines of a prompts file that the scenario cannot send', async () => {
  const promptFile = join(await mkdtemp(join(tmpdir(), 'touchstone-prompts-')), 'prompts.jsonl')
  await writeFile(promptFile, '{"messages": [{"role": "system", "content": "a"}], "n": 2}\n')
  await expect(plan({ promptFile })).rejects.toThrow('Line 1 has an n above 1')
  expect((await plan({ promptFile, scenario: 'chat', body: { n: 2 } })).settings.body).toEqual({ n: 2 })
})

test('gives no cost of turns if only one of them has a part without an upper bound', async () => {
  const promptFile = join(await mkdtemp(join(tmpdir(), 'touchstone-prompts-')), 'prompts.jsonl')
  const image = [{ type: 'image_url', image_url: { url: 'data:' } }]
  const lines = [...Array.from({ length: 9 }, () => 'a'), image].map((content) => ({
    messages: [{ role: 'user', content }],
  }))
  await writeFile(promptFile, lines.map((line) => JSON.stringify(line)).join('\n'))
  for (let seed = 1; seed < 9; seed += 1) {
    const { options, settings, prompts } = await plan({ promptFile, seed, iterations: 12 })
    const turns = TURN_ORDER.map((_, at) => estimateTurnCost('chat-stream', buildTurnSettings(settings, at), prompts))
    const isBounded = turns.every(({ units }) => units !== null)
    expect(estimateTotalCost({ options, settings, prompts }).units !== null).toBe(isBounded)
  }
})

test('counts the requests of a plan that the script will send', async () => {
  const { estimate } = await plan({ scenario: 'smoke', iterations: 13 })
  expect(estimate.requests).toEqual({ models: 3, chat: 2, 'chat-stream': 2, images: 2, transcriptions: 2, speech: 2 })
  expect(estimate.chatTokens.completion).toBe(40)
  const mixed = await plan({ scenario: 'mixed', rate: 10, durationS: 10, weights: { chat: 1, speech: 0 } })
  expect(mixed.estimate.requests).toEqual({ chat: 100 })
  expect(mixed.estimate.units).toBeGreaterThan(0)
})

test('estimates no cost for a target without credits', async () => {
  const { estimate } = await plan({ credits: false, rate: 1 })
  expect(estimate).toMatchObject({ units: null, note: 'The target has no credits.' })
})

test('takes the number of requests and their tokens from a trace', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'touchstone-trace-')), 'trace.jsonl')
  await writeFile(
    file,
    [0, 500, 900].map((atMs) => `{"atMs": ${atMs}, "promptTokens": 20, "outputTokens": 7}`).join('\n'),
  )
  const { settings, estimate } = await plan({ trace: file })
  expect(settings).toMatchObject({ arrivals: 'trace', tracePath: file })
  expect(estimate).toMatchObject({ requests: { 'chat-stream': 3 }, chatTokens: { completion: 21 } })
})

test('limits the estimated cost of credit-drain to the balance of the small account', async () => {
  const { estimate } = await plan({ scenario: 'credit-drain', smallBalance: '1.5' })
  expect(estimate.units).toBe(15_000)
})

test('summarizes the needed and the expected samples of each budget', async () => {
  const budgets = ['ttft.p99<=1s', 'chat.e2e.p50<=1s', 'itl.p90<=1s', 'failed.rate<=1%']
  const summary = summarizePlan(await plan({ scenario: 'smoke', iterations: 12, budgets }))
  expect(summary.budgets).toEqual([
    { budget: 'ttft.p99<=1000ms', needed: 662, expected: 2 },
    { budget: 'chat.e2e.p50<=1000ms', needed: 11, expected: 2 },
    { budget: 'itl.p90<=1000ms', needed: 64, expected: null },
    { budget: 'failed.rate<=1%', needed: 1, expected: 12 },
  ])
})

test('summarizes the samples of each side that an interval of an added percentile needs', async () => {
  const budgets = ['added.ttft.p50<=1s', 'added.ttft.p90<=1s', 'added.ttft.p95<=1s', 'added.ttft.p99<=1s']
  const given = { rate: 4, durationS: 20, target: 'http://127.0.0.1:1', upstream: 'http://127.0.0.1:2', budgets }
  const summary = summarizePlan(await plan(given))
  expect(summary.budgets.map(({ needed }) => needed)).toEqual([11, 79, 164, 846])
  expect(summary.budgets[0]?.expected).toBe(80)
})

test('includes both sides in the requests and the cost of a run that loads an upstream alternately', async () => {
  const given = { rate: 2, durationS: 10, target: 'http://127.0.0.1:1', key: 'sk-svc-any' }
  const alone = Number(summarizePlan(await plan(given)).credits)
  const alternating = { ...given, upstream: 'http://127.0.0.1:2' }
  const summary = summarizePlan(await plan(alternating))
  // The ratio is not exactly 2, because the prompts differ between turns.
  expect(Number(summary.credits) / alone).toBeCloseTo(2, 1)
  expect(summary).toMatchObject({ requests: 40, requestsByOperation: { 'chat-stream': 40 } })
  expect(summary.note).toContain('The requests, tokens and credits include both sides')
  const maxCredits = (1.5 * alone).toFixed(4)
  expect(findSpendExcess(await plan({ ...given, maxCredits }))).toBeUndefined()
  expect(findSpendExcess(await plan({ ...alternating, maxCredits }))).toMatchObject({ credits: summary.credits })
})
