import { describe, expect, test } from 'vitest'
import { createScriptedExchange } from '../prove/no-evidence-targets/scripted-context.ts'
import { findFirstToken, LatencySamples } from './latency-samples.ts'

/** Creates events with this data. They arrive at intervals of one millisecond, the first at 1 ms. */
const eventsOf = (...data: readonly unknown[]) =>
  data.map((value, index) => ({ atMs: index + 1, data: typeof value === 'string' ? value : JSON.stringify(value) }))

const delta = (...deltas: readonly object[]) => ({ choices: deltas.map((part, index) => ({ index, delta: part })) })

describe('the first token of a stream', () => {
  test.each([
    ['not the chunk with the role', eventsOf(delta({ role: 'assistant' }), delta({ content: 'a' })), 2],
    ['not an empty content', eventsOf(delta({ role: 'assistant', content: '' }), delta({ content: 'a' })), 2],
    ['not a null content', eventsOf(delta({ content: null }), delta({}), delta({ content: 'a' })), 3],
    ['a chunk with role and content', eventsOf(delta({ role: 'assistant', content: 'a' })), 1],
    [
      'the content of the second choice',
      eventsOf(delta({ content: '' }, { content: 'b' }), delta({ content: 'a' })),
      1,
    ],
    ['after an event of another kind', eventsOf('ping', { usage: {} }, delta({ content: 'a' })), 3],
  ])('the first token of a stream is %s', (_name, events, atMs) => {
    expect(findFirstToken(events)).toEqual({ atMs, isFirstEvent: false })
  })

  test('the first token of an empty completion is undefined', () => {
    expect(findFirstToken(eventsOf(delta({ role: 'assistant' }), delta({}), '[DONE]'))).toBeUndefined()
    expect(findFirstToken([])).toBeUndefined()
  })

  test.each([
    ['plain text', eventsOf('Hel', 'lo')],
    ['objects without choices', eventsOf({ token: 'a' }, { token: 'b' })],
    ['objects with malformed choices', eventsOf({ choices: 'x' }, { choices: [null, { delta: 5 }] })],
  ])('measures and marks the first event instead of the first token if the chunks are %s', (_name, events) => {
    expect(findFirstToken(events)).toEqual({ atMs: 1, isFirstEvent: true })
  })
})

test('measures streams separately, and adds a note if their first events are not tokens', () => {
  const samples = new LatencySamples()
  const request = { method: 'POST', path: '/v1/chat/completions', headers: {} }
  const stream = (body: string) =>
    createScriptedExchange({ status: 200, headers: { 'content-type': 'text/event-stream' }, body }, request)
  samples.add(createScriptedExchange({ status: 200, body: '{}' }, request))
  samples.add(stream('data: hello\n\n'))
  samples.add(stream(`data: ${JSON.stringify(delta({ content: 'a' }))}\n\n`))
  const entries = samples.entries()
  expect(entries.map(({ operation, figure, n }) => [operation, figure, n])).toEqual([
    ['chat', 'total', 1],
    ['chat-stream', 'total', 2],
    ['chat-stream', 'ttft', 2],
  ])
  expect(entries.map(({ note }) => note?.slice(0, 46))).toEqual([
    undefined,
    undefined,
    'time to the first event in 1 of 2 streams: the',
  ])
})
