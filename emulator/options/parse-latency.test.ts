import { expect, test } from 'vitest'
import { createFixedDelay, LATENCY_PROFILES, selectLatency } from '../state/latency.ts'
import { parseLatency } from './parse-latency.ts'

test.each(Object.keys(LATENCY_PROFILES))('parses the profile %s', (name) => {
  expect(parseLatency(name)).toBe(LATENCY_PROFILES[name as keyof typeof LATENCY_PROFILES])
})

test('parses single delays, optionally with median and 99th percentile', () => {
  const latency = parseLatency('ttft=100ms..0.4s,itl=20ms,total=2s,slowdown=0.01')
  expect(latency).toMatchObject({
    chat: { ttft: { p50Ms: 100, p99Ms: 400 }, itl: createFixedDelay(20) },
    total: { images: createFixedDelay(2000), speech: createFixedDelay(2000) },
    slowdownPerRequest: 0.01,
  })
})

test('parses delays of operations and models on top of a profile, in any order', () => {
  const latency = parseLatency('typical,images=1s,vendorb-haiku-3.5.ttft=2s,o3-mini.itl=5ms..9ms,total=3s,itl=7ms')
  if (typeof latency === 'string') throw new Error(latency)
  const { ttft } = LATENCY_PROFILES.typical.chat
  expect(selectLatency(latency, 'chat', 'vendorc-4o')).toEqual({ ttft, itl: createFixedDelay(7) })
  expect(selectLatency(latency, 'chat', 'vendorb-haiku-3.5')).toEqual({
    ttft: createFixedDelay(2000),
    itl: createFixedDelay(7),
  })
  expect(selectLatency(latency, 'chat', 'o3-mini')).toEqual({ ttft, itl: { p50Ms: 5, p99Ms: 9 } })
  expect(selectLatency(latency, 'images', 'o3-mini').ttft).toEqual(createFixedDelay(1000))
  expect(selectLatency(latency, 'speech', 'o3-mini').ttft).toEqual(createFixedDelay(3000))
})

test('parses the same settings from an object', () => {
  const asObject = parseLatency({
    profile: 'typical',
    byModel: { 'o3-mini': { ttft: '2s' } },
    chat: { ttft: '100ms..400ms', itl: '20ms' },
    images: '1s',
    total: '3s',
    slowdown: 0.01,
  })
  expect(asObject).toEqual(
    parseLatency('typical,ttft=100ms..400ms,itl=20ms,total=3s,images=1s,o3-mini.ttft=2s,slowdown=0.01'),
  )
})

test.each([
  ['quick', "no latency profile 'quick'"],
  ['ttft=100', 'ttft=20ms'],
  ['ttft=-1ms', 'ttft=20ms'],
  ['gap=20ms', "no latency part 'gap'"],
  ['itl=90ms..20ms', 'itl=20ms'],
  ['itl=20ms..', 'itl=20ms'],
  ['ttft=2h', 'ttft=20ms'],
  ['ttft=99999s', 'ttft=20ms'],
  ['speed=1ms', "no latency part 'speed'"],
  ['chat=1ms', "no latency part 'chat'"],
  ['slowdown=many', 'slowdown=0.01'],
  ['', 'no latency profile'],
  ['typical,quick', "no latency part 'quick'"],
  ['o3-mini.total=1s', "no latency part 'o3-mini.total'"],
  [{ profile: 'quick' }, "no latency profile 'quick'"],
  [{ images: 2 }, 'images=20ms'],
  [{ chat: '20ms' }, '"chat"'],
  [{ byModel: { 'o3-mini': '2s' } }, '"o3-mini"'],
  [{ byModel: { 'o3-mini': { images: '2s' } } }, "no latency part 'o3-mini.images'"],
  [['typical', 'itl=1'], 'itl=20ms'],
])('rejects the latency %j with a sentence that shows the expected form', (value, sentence) => {
  expect(parseLatency(value)).toContain(sentence)
})
