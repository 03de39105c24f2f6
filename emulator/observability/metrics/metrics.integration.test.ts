import { expect, test } from 'vitest'
import { RequestRecord } from '../request-record.ts'
import { startEmulator, type Emulator } from '../../start-emulator.ts'
import { createVirtualClock } from '../../state/clock.ts'
import { parseLatency } from '../../options/parse-latency.ts'
import { sendChat, postJson, callControl } from '../../tests/support/requests.ts'
import { renderMetrics } from './render-metrics.ts'
import { Metrics } from './metrics.ts'

/**
 * Reads the metrics of an emulator as samples by name and labels. Throws if a line is not valid in the Prometheus text
 * format.
 */
async function scrape(emulator: Emulator): Promise<Map<string, number>> {
  const { text, headers } = await callControl(emulator, '/metrics')
  expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  return parse(text)
}

function parse(text: string): Map<string, number> {
  const samples = new Map<string, number>()
  const types = new Set<string>()
  expect(text.endsWith('\n')).toBe(true)
  for (const line of text.slice(0, -1).split('\n')) {
    const type = /^# TYPE (\w+) (?:counter|gauge|histogram)$/.exec(line)
    if (type !== null) types.add(type[1] ?? '')
    if (line.startsWith('# HELP ') || type !== null) continue
    const [, name = '', labels = '', value] =
      /^([a-z_]+)(\{(?:[a-z]+="(?:[^"\\]|\\.)*",?)+\})? (\d\S*)$/.exec(line) ?? expect.fail(line)
    expect(types).toContain(name.replace(/_(bucket|sum|count)$/, ''))
    expect(samples.has(name + labels)).toBe(false)
    samples.set(name + labels, Number(value))
  }
  return samples
}

test('counts requests, error responses, tokens and credits', async () => {
  await using emulator = await startEmulator({ answerTokens: 5 })
  const { usage } = JSON.parse(await (await sendChat(emulator)).text())
  await (await sendChat(emulator, { temperature: 5 })).text()
  await (await sendChat(emulator, { temperature: 6 })).text()
  await (await postJson(emulator, '/v1/nothing', {})).text()
  const samples = await scrape(emulator)
  expect(samples.get('touchstone_requests_total{operation="chat",status="200"}')).toBe(1)
  expect(samples.get('touchstone_requests_total{operation="chat",status="400"}')).toBe(2)
  expect(samples.get('touchstone_requests_total{operation="none",status="404"}')).toBe(1)
  expect(samples.get('touchstone_refusals_total{reason="invalid-parameter"}')).toBe(2)
  expect(samples.get('touchstone_tokens_total{model="vendora-v4-flash"}')).toBe(usage.total_tokens)
  expect(samples.get('touchstone_credits_charged_total{model="vendora-v4-flash"}')).toBeCloseTo(
    usage.total_tokens * 0.0004,
  )
  expect(samples.get('touchstone_requests_in_flight')).toBe(0)
  expect(samples.get('touchstone_accounts')).toBe(4)
  expect(samples.get('touchstone_request_log_entries')).toBe(4)
})

test('exports response times in seconds, in cumulative buckets', async () => {
  const clock = createVirtualClock()
  const latency = parseLatency('ttft=200ms,itl=100ms')
  if (typeof latency === 'string') throw new Error(latency)
  await using emulator = await startEmulator({ clock, latency, answerTokens: 4 })
  const pending = sendChat(emulator, { stream: true })
  await expect.poll(async () => (await scrape(emulator)).get('touchstone_requests_in_flight')).toBe(1)
  clock.advance(10_000)
  await (await pending).text()
  const samples = await scrape(emulator)
  const bucket = (name: string, bound: string) =>
    samples.get(`touchstone_${name}_bucket{operation="chat",le="${bound}"}`)
  expect([bucket('ttft_seconds', '0.1'), bucket('ttft_seconds', '0.25'), bucket('ttft_seconds', '+Inf')]).toEqual([
    0, 1, 1,
  ])
  expect(samples.get('touchstone_ttft_seconds_sum{operation="chat"}')).toBeCloseTo(0.2)
  expect(samples.get('touchstone_answer_seconds_sum{operation="chat"}')).toBeCloseTo(0.5)
  expect(samples.get('touchstone_answer_seconds_count{operation="chat"}')).toBe(1)
  expect(samples.get('touchstone_event_lateness_seconds_count')).toBe(7)
  expect(samples.get('touchstone_event_lateness_seconds_bucket{le="0.00005"}')).toBe(7)
})

test('escapes fault IDs in labels', () => {
  const metrics = new Metrics()
  metrics.faults.set('a "strange"\\ one\n', 3)
  const samples = parse(renderMetrics(metrics, { inFlight: 0, accounts: 0, requestLogEntries: 0 }))
  expect(samples.get('touchstone_faults_total{fault="a \\"strange\\"\\\\ one\\n"}')).toBe(3)
})

test('limits the number of fault labels', () => {
  const metrics = new Metrics()
  const request = {
    id: 'req-1',
    method: 'POST',
    target: '/v1/models',
    path: '/v1/models',
    headers: {},
    httpVersion: '1.1',
    connection: undefined,
    key: '',
    keyOwner: undefined,
    arrivedAtMs: 0,
    inFlight: 1,
    model: undefined,
    errorCode: undefined,
    ignoredFields: [],
    fixtureId: undefined,
    truncation: undefined,
    queuedMs: undefined,
    usedTokens: 0,
    reasoningTokens: 0,
    chargedUnits: 0,
    operation: undefined,
    readUnreportedBody: () => undefined,
  }
  const arrived = { atMs: 0, sequence: 1 }
  const origin = { arrived, arrivedAtUnixMs: 0, connection: undefined, isFirstOnConnection: false }
  const context = { now: () => arrived, getLimits: () => ({ bodies: 0, digests: 0 }), finish: () => undefined }
  for (let rule = 0; rule < 3000; rule += 1) {
    metrics.add(new RequestRecord({ ...request, faultId: `fault-${rule}` }, origin, context))
  }
  expect(metrics.faults.size).toBeLessThanOrEqual(1001)
  expect(metrics.faults.get('other')).toBe(3000 - (metrics.faults.size - 1))
})
