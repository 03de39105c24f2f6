import { expect, test } from 'vitest'
import type { CheckContext } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import { compressedStreamCheck } from './compressed-stream.ts'
import { createScriptedContext, createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'

const EVENTS = 128

/** Builds a stream whose events arrive at the times that `atMs` returns, in milliseconds. */
function stream(atMs: (event: number) => number, encoding?: string): Exchange {
  const headers = { 'content-type': 'text/event-stream', ...(encoding && { 'content-encoding': encoding }) }
  const exchange = createScriptedExchange({ status: 200, headers })
  const events = Array.from({ length: EVENTS }, (_, index) => ({ atMs: atMs(index + 1), data: '{}' }))
  return { ...exchange, events, totalMs: atMs(EVENTS) }
}

const oneByOne = (event: number) => 300 + event * 20
const atTheEnd = () => 300 + EVENTS * 20
const inBursts = (event: number) => 300 + Math.min(EVENTS, Math.ceil(event / 20) * 20) * 20

/** Runs the check against a target with these compressed and uncompressed streams. Returns the number of requests, too. */
async function run(compressed: (nth: number) => Exchange, plain: (nth: number) => Exchange = () => stream(oneByOne)) {
  const requests = { compressed: 0, plain: 0 }
  const chat: CheckContext['chat'] = (_fields, options) => {
    const kind = options?.headers?.['accept-encoding'] === undefined ? 'plain' : 'compressed'
    requests[kind] += 1
    return Promise.resolve((kind === 'plain' ? plain : compressed)(requests[kind]))
  }
  const outcome = await compressedStreamCheck.run({ ...createScriptedContext(() => ({ status: 200 })), chat })
  return { outcome, requests }
}

test('passes a target that does not compress streams, after a single request', async () => {
  const { outcome, requests } = await run(() => stream(atTheEnd))
  expect(outcome).toMatchObject({ verdict: 'pass', params: { seen: { kind: 'uncompressed-stream' } } })
  expect(requests).toEqual({ compressed: 1, plain: 0 })
})

test('passes compressed streams whose events arrive one by one', async () => {
  const { outcome, requests } = await run(() => stream(oneByOne, 'br'))
  expect(outcome).toMatchObject({ verdict: 'pass', params: { seen: { kind: 'event-times', events: EVENTS } } })
  expect(requests).toEqual({ compressed: 1, plain: 0 })
})

test.each([
  ['at the end', atTheEnd, { groups: 1, firstMs: 2860 }],
  ['in bursts', inBursts, { groups: 7, firstMs: 700 }],
] as const)('warns if the events of two compressed streams arrive %s', async (_name, atMs, params) => {
  const { outcome, requests } = await run(() => stream(atMs, 'gzip'))
  expect(outcome).toMatchObject({
    verdict: 'warn',
    code: 'compressed-stream-buffered',
    params: { encoding: 'gzip', events: EVENTS, plainFirstMs: 320, ...params },
  })
  expect(requests).toEqual({ compressed: 2, plain: 1 })
})

test('passes if only the first compressed stream arrives in bursts', async () => {
  const { outcome } = await run((nth) => stream(nth === 1 ? inBursts : oneByOne, 'gzip'))
  expect(outcome.verdict).toBe('pass')
})

test('is not testable if uncompressed streams do not arrive one by one either', async () => {
  const { outcome, requests } = await run(
    () => stream(atTheEnd, 'gzip'),
    () => stream(atTheEnd),
  )
  expect(outcome.verdict).toBe('not-testable')
  expect(requests).toEqual({ compressed: 1, plain: 1 })
})

test('observes compressed streams that arrive all at once, but as early as uncompressed ones', async () => {
  expect((await run(() => stream(() => 350, 'gzip'))).outcome.params).toMatchObject({
    seen: { kind: 'fast-stream', afterMs: 350 },
  })
})

test('is not testable if the target does not serve the stream, or sends no events', async () => {
  const rejected = createScriptedExchange({ status: 400 })
  expect((await run(() => rejected)).outcome.verdict).toBe('not-testable')
  const empty = { ...stream(oneByOne), events: [] }
  expect((await run(() => empty)).outcome.verdict).toBe('not-testable')
})
