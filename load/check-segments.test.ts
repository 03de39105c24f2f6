import { expect, test } from 'vitest'
import type { ExtensionResult } from '../scenarios/lib/extension-result.ts'
import { parseSettings } from '../scenarios/lib/parse-settings.ts'
import { buildDocumentFromResult } from './document-from-result.ts'
import { mergeLoads } from './merge-load.ts'
import { createExtensionResult, createOperationResult, repeatValue } from './testing/make-result.ts'

const CONTEXT = { toolVersion: '1.0.0' }
const START_MS = 1_750_000_000_000

interface Change {
  readonly result?: Partial<ExtensionResult>
  readonly environment?: Readonly<Record<string, string>>
  readonly toolVersion?: string
}

/** Builds the document of segment 1 or 2 of a run of planned requests. */
function segment(number: 1 | 2, { result, environment, toolVersion = '1.0.0' }: Change = {}) {
  const chat = createOperationResult(100, { e2eMs: repeatValue(100, 10) })
  const settings = parseSettings({ TOUCHSTONE_TARGET: 'http://h:1', TOUCHSTONE_RATE: '20', ...environment })
  const plan = { planned: 100, due: 100, taken: 100 }
  const whole = createExtensionResult({ chat }, { segment: { index: number - 1, count: 2 }, plan, ...result })
  const document = buildDocumentFromResult({ ...whole, run: { scenario: 'chat', settings } }, [], { toolVersion })
  return { name: `part-${number}`, document }
}

function merge(second: Change, ...more: readonly ReturnType<typeof segment>[]) {
  const { verdict, reasons } = mergeLoads([segment(1), segment(2, second), ...more], CONTEXT)
  return { verdict, reasons }
}

const startingAt = (laterMs: number, targetClock?: ExtensionResult['targetClock']): Change => ({
  result: {
    startedAtUnixMs: START_MS + laterMs,
    endedAtUnixMs: START_MS + laterMs + 10_000,
    ...(targetClock === undefined ? {} : { targetClock }),
  },
})

test('merges segments of one run that start within a second', () => {
  expect(merge({})).toEqual({ verdict: 'within-budgets', reasons: [] })
  expect(merge(startingAt(1000)).verdict).toBe('within-budgets')
  expect(merge(startingAt(-1000)).verdict).toBe('within-budgets')
})

test.each([
  ['another target', { environment: { TOUCHSTONE_TARGET: 'http://h:2' } }, 'the target is http://h:2, not http://h:1.'],
  ['another seed', { environment: { TOUCHSTONE_LOAD: '{"seed": 2}' } }, 'seed=2'],
  ['another plan', { result: { plan: { planned: 90, due: 90, taken: 90 } } }, 'the plan has 90 requests, not 100.'],
] satisfies readonly (readonly [string, Change, string])[])('rejects a segment with %s', (_name, change, reason) => {
  expect(() => merge(change)).toThrow('part-2 and part-1 are not segments of one run: in part-2, ')
  expect(() => merge(change)).toThrow(reason)
})

test('rejects an additional segment that belongs to a division into more segments', () => {
  const quarter = segment(2, { result: { segment: { index: 3, count: 4 } } })
  expect(() => merge({}, { ...quarter, name: 'part-4' })).toThrow('the number of segments is 4, not 2.')
})

test.each([
  { index: 2, count: 2 },
  { index: 0, count: 1e15 },
])('rejects a document with the segment %j', (position) => {
  const damaged = { ...segment(1).document, segment: position }
  expect(() => mergeLoads([{ name: 'part', document: damaged }], CONTEXT)).toThrow('part is damaged: no run has a')
})

test('rejects two segments with the same number', () => {
  expect(() => merge({}, { ...segment(2), name: 'again' })).toThrow('part-2 and again are both segment 2/2')
})

test('a segment of another run with the same settings makes the merged run incomplete', () => {
  expect(merge(startingAt(3_600_000))).toEqual({
    verdict: 'incomplete',
    reasons: [
      'The segments did not run at the same time: part-2 started 3600 s after part-1. The target received the whole load only for a part of the run. Start all segments at the same time (startAtUnixMs).',
    ],
  })
})

test('segments of a run of 300 s may start up to a tenth of its duration apart', () => {
  const parts = (laterMs: number) =>
    ([1, 2] as const).map((number) => {
      const startedAtUnixMs = START_MS + (number - 1) * laterMs
      const times = { startedAtUnixMs, endedAtUnixMs: startedAtUnixMs + 300_000 }
      const environment = { TOUCHSTONE_RATE: '', TOUCHSTONE_VUS: '2', TOUCHSTONE_DURATION_S: '300' }
      return segment(number, { result: { plan: null, ...times }, environment })
    })
  expect(mergeLoads(parts(29_000), CONTEXT).verdict).toBe('within-budgets')
  expect(mergeLoads(parts(31_000), CONTEXT).verdict).toBe('incomplete')
})

test('clocks of machines that differ by two seconds make the merged run incomplete', () => {
  const mergeClocks = (first: ExtensionResult['targetClock'], second: ExtensionResult['targetClock']) => {
    const parts = [segment(1, startingAt(0, first)), segment(2, startingAt(0, second))]
    const { verdict, reasons } = mergeLoads(parts, CONTEXT)
    return { verdict, reasons }
  }
  const exact = { lowMs: -50, highMs: 50 }
  expect(mergeClocks(exact, { lowMs: 1950, highMs: 2050 })).toEqual({
    verdict: 'incomplete',
    reasons: [
      'The clocks of the machines differ: by the clock of the target, part-2 started at least 1.9 s after part-1. The target received the whole load only for a part of the run. Synchronize the clocks, and repeat the run.',
    ],
  })
  expect(mergeClocks(exact, { lowMs: -2050, highMs: -1950 }).verdict).toBe('incomplete')
  expect(mergeClocks(exact, { lowMs: 850, highMs: 950 }).verdict).toBe('within-budgets')
  // Wide bounds do not show that the clocks differ.
  expect(mergeClocks(exact, { lowMs: -900, highMs: 3000 }).verdict).toBe('within-budgets')
  expect(mergeClocks(exact, undefined).verdict).toBe('within-budgets')
})

test('processes that ended before their first request make the merged run incomplete', () => {
  const late = segment(1, {
    result: { segment: { index: 0, count: 1 }, plan: { planned: 200, due: 200, taken: 0 }, operations: {} },
  })
  const [first, second] = [late, { ...late, name: 'part-2' }]
  expect(mergeLoads([first, second], CONTEXT).verdict).toBe('incomplete')
  expect(mergeLoads([first, segment(2)], CONTEXT).verdict).not.toBe('within-budgets')
})
