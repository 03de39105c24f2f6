import { expect, test } from 'vitest'
import type { Operation } from '../../../contract/facts.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import { findBreakdownIncidents } from './breakdown-incidents.ts'
import { createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'

/** A response that arrives `atMs` milliseconds after the start of the run. */
interface Sent {
  readonly atMs: number
  /** Time between the request and the response, in milliseconds. Default: 0. */
  readonly tookMs?: number
  readonly status: number
  readonly operation?: Operation
}

function incidentsOf(all: readonly Sent[]) {
  const exchanges = all.map(({ atMs, tookMs = 0, status, operation = 'chat' }, request): LoggedExchange => ({
    source: '4.2/a',
    operation,
    key: 'funded',
    kind: 'valid',
    request,
    isFinal: true,
    exchange: { ...createScriptedExchange({ status }), startedAtMs: atMs - tookMs, totalMs: tookMs },
    form: undefined,
  }))
  return findBreakdownIncidents(exchanges).map(({ requests }) => [...requests].toSorted((a, b) => a - b))
}

const broken = (atMs: number, operation?: Operation): Sent => ({
  atMs,
  status: 502,
  ...(operation === undefined ? {} : { operation }),
})
const served = (atMs: number): Sent => ({ atMs, status: 200 })

test('counts consecutive breakdowns of one operation as one incident', () => {
  expect(incidentsOf([served(0), broken(1), broken(2), broken(3), served(4)])).toEqual([[1, 2, 3]])
})

test('separates breakdowns with a response in between, regardless of its position in the log', () => {
  expect(incidentsOf([broken(1), broken(3), served(2)])).toEqual([[0], [1]])
})

test('separates breakdowns that are more than five seconds apart', () => {
  expect(incidentsOf([broken(0), broken(5000), broken(10_001)])).toEqual([[0, 1], [2]])
})

test('merges outages of several operations at the same time', () => {
  expect(incidentsOf([broken(0), broken(20, 'images'), broken(30), broken(40, 'images')])).toEqual([[0, 1, 2, 3]])
})

test('adds single breakdowns of other operations to an outage that starts shortly after', () => {
  expect(incidentsOf([broken(0, 'images'), broken(20), broken(30), broken(1000, 'speech')])).toEqual([[0, 1, 2, 3]])
})

test('adds all single breakdowns that precede an outage', () => {
  expect(incidentsOf([broken(0, 'images'), broken(10, 'speech'), broken(20), broken(30)])).toEqual([[0, 1, 2, 3]])
})

test('does not merge an outage with breakdowns that are more than a second later if a request succeeds between', () => {
  const outages = [broken(0), broken(10), broken(1011, 'images'), broken(1020, 'images')]
  expect(incidentsOf([...outages, served(500)])).toEqual([
    [0, 1],
    [2, 3],
  ])
  expect(incidentsOf(outages)).toEqual([[0, 1, 2, 3]])
})

test('does not merge an outage with breakdowns that are more than five seconds later', () => {
  expect(incidentsOf([broken(0), broken(10), broken(5011, 'images')])).toEqual([[0, 1], [2]])
})

test('does not merge an outage with breakdowns of other operations if most requests succeed at that time', () => {
  const flakes = [broken(0), broken(10), broken(100, 'images'), broken(200, 'speech')]
  const successes = [20, 30, 40, 50, 110, 120].map((atMs) => served(atMs))
  expect(incidentsOf([...flakes, ...successes])).toEqual([[0, 1], [2], [3]])
  expect(incidentsOf([...flakes, served(20)])).toEqual([[0, 1, 2, 3]])
  const sentBefore = successes.map((one) => ({ ...one, tookMs: 150 }))
  expect(incidentsOf([...flakes, ...sentBefore])).toEqual([[0, 1, 2, 3]])
})

test('does not merge single breakdowns of different operations', () => {
  expect(incidentsOf([broken(0), broken(10, 'images')])).toEqual([[0], [1]])
})

test('ignores requests without a response if the tester’s side is the cause', () => {
  const rejected: LoggedExchange['exchange'] = {
    ...createScriptedExchange({ status: 0, error: { kind: 'refused', message: 'refused' } }),
    startedAtMs: 0,
  }
  const logged = { source: '4.2/a', operation: 'chat', key: 'funded', kind: 'valid', request: 1 } as const
  expect(findBreakdownIncidents([{ ...logged, isFinal: true, exchange: rejected, form: undefined }])).toEqual([])
})
