import { expect, test } from 'vitest'
import { isRegression } from './compare/comparison.ts'
import { describeComparison } from './compare/describe-comparison.ts'
import { compareDocuments } from './compare-documents.ts'
import type { CauseEntry, CheckEntry } from './conformance-document.ts'
import type { LoadDocument, LoadError } from './load-document.ts'
import { createCheckEntry, createDocument } from './testing/sample-document.ts'
import { createError, createFigure, createLoadDocument } from './testing/sample-load.ts'
import { SAMPLE_PROVE } from './testing/sample-prove.ts'

function compareChecks(before: readonly CheckEntry[], after: readonly CheckEntry[]) {
  return compareDocuments(
    { name: 'a', document: { ...createDocument({ checks: before }), causes: [] } },
    { name: 'b', document: { ...createDocument({ checks: after }), causes: [] } },
  )
}

function compareLoads(before: LoadDocument, after: LoadDocument) {
  return compareDocuments({ name: 'a', document: before }, { name: 'b', document: after })
}

test('finds no change between a run and itself', () => {
  const checks = [createCheckEntry('1/a', 'pass'), createCheckEntry('1/b', 'observed')]
  expect(compareChecks(checks, checks)).toMatchObject({ changes: [], moves: [], remarks: [] })
  expect(compareLoads(createLoadDocument(), createLoadDocument())).toMatchObject({ changes: [], remarks: [] })
  expect(
    compareLoads(createLoadDocument(), createLoadDocument()).moves.map(({ figure, direction }) => [figure, direction]),
  ).toEqual([['images e2e p99', 'unclear']])
})

test.each([
  ['pass', 'fail', 'worse'],
  ['pass', 'not-testable', 'worse'],
  ['fail', 'pass', 'better'],
] as const)('classifies a check that changes from %s to %s as %s', (before, after, direction) => {
  const comparison = compareChecks([createCheckEntry('1/a', before)], [createCheckEntry('1/a', after)])
  expect(comparison.changes.map((change) => change.direction)).toEqual([direction])
  expect(isRegression(comparison)).toBe(direction === 'worse')
})

test('lists a new known failure, and does not count it as a regression', () => {
  const known = createCheckEntry('1/a', 'fail', { knownFailure: 'until May' })
  const comparison = compareChecks([createCheckEntry('1/a', 'pass')], [known])
  expect(comparison.changes).toMatchObject([{ direction: 'different', after: 'fail (excused)' }])
  expect(isRegression(comparison)).toBe(false)
})

test('counts a failure that only the later run excuses neither as better nor as worse', () => {
  const known = createCheckEntry('1/a', 'fail', { knownFailure: 'until May' })
  const comparison = compareChecks([createCheckEntry('1/a', 'fail')], [known])
  expect(comparison.changes.map(({ direction }) => direction)).toEqual(['different'])
})

test('counts different unspecified behaviour as a change, not as a regression', () => {
  const comparison = compareChecks(
    [createCheckEntry('1/a', 'observed', { actual: 'returned 200', value: 'accepted' })],
    [createCheckEntry('1/a', 'observed', { actual: 'returned 404', value: { rejected: 404 } })],
  )
  expect(comparison.changes).toMatchObject([{ sort: 'observation', before: 'returned 200', after: 'returned 404' }])
  expect(isRegression(comparison)).toBe(false)
})

test('lists new, removed and larger causes without counting them as regressions', () => {
  const documentOf = (ids: readonly string[], causes: readonly CauseEntry[]) => ({
    ...createDocument({ checks: ids.map((id) => createCheckEntry(id, 'fail')) }),
    causes,
  })
  const ids = ['1/a', '1/b', '1/c']
  const before = documentOf(ids, [
    { title: 'The target does not check API keys', checks: ['1/a'] },
    { title: 'Errors are HTML instead of JSON', checks: ['1/b', '1/c'] },
  ])
  const after = documentOf(ids, [
    { title: 'The target does not check API keys', checks: ['1/a', '1/b'] },
    { title: 'Speech is not MP3', checks: ['1/c'] },
  ])
  const comparison = compareDocuments({ name: 'a', document: before }, { name: 'b', document: after })
  expect(comparison.changes).toEqual([
    {
      direction: 'different',
      sort: 'cause',
      subject: 'The target does not check API keys',
      before: '1 check',
      after: '2 checks',
    },
    { direction: 'different', sort: 'cause', subject: 'Speech is not MP3', before: 'none', after: '1 check' },
    {
      direction: 'different',
      sort: 'cause',
      subject: 'Errors are HTML instead of JSON',
      before: '2 checks',
      after: 'none',
    },
  ])
  expect(isRegression(comparison)).toBe(false)
})

test('lists a check that only one run skipped, with the reason', () => {
  const before = createDocument({ checks: [createCheckEntry('1/a', 'pass')] })
  const notPlanned = [{ id: '1/a', reason: 'excluded by --skip', code: 'skipped' } as const]
  const after = { ...createDocument({ checks: [] }), notPlanned }
  const comparison = compareDocuments({ name: 'a', document: before }, { name: 'b', document: after })
  expect(comparison.changes).toMatchObject([{ sort: 'once', after: 'not run: excluded by --skip' }])
  expect(isRegression(comparison)).toBe(false)
})

/**
 * Compares two runs, of which the second is slower by `factor`. Returns the comparisons of the TTFT percentiles that
 * changed.
 */
function ttftMoves(factor: number, n: number, error: LoadError | null = null) {
  const run = (medianMs: number, seed: number): LoadDocument =>
    createLoadDocument({
      metrics: { 'chat-stream': { ttftMs: createFigure({ n, medianMs, spread: 0.3, seed }, error) } },
    })
  return compareLoads(run(300, 1), run(300 * factor, 2)).moves.map(({ figure, direction }) => `${figure}: ${direction}`)
}

test('lists a lower time between tokens without a verdict if the first token arrives later', () => {
  const run = (ttftMs: number, itlMs: number): LoadDocument => {
    const figure = (medianMs: number) => createFigure({ n: 5000, medianMs, spread: 0.3 })
    return createLoadDocument({ metrics: { 'chat-stream': { ttftMs: figure(ttftMs), itlMs: figure(itlMs) } } })
  }
  const directions = (after: LoadDocument) =>
    compareLoads(run(300, 20), after).moves.map(({ figure, direction }) => `${figure}: ${direction}`)
  expect(directions(run(2000, 1))).toContain('chat-stream itl p50: unclear')
  expect(directions(run(300, 1))).toContain('chat-stream itl p50: better')
  expect(directions(run(2000, 40))).toContain('chat-stream itl p50: worse')
})

test('lists the findings that only one load run has', () => {
  const [plain, buffered] = [[], ['gateway-buffers']].map((codes) =>
    createLoadDocument({
      findings: codes.map((code) => ({ code, params: {} })),
      reasons: codes.map(() => 'The gateway buffers streams.'),
    }),
  )
  if (plain === undefined || buffered === undefined) throw new Error('there are two documents')
  const worse = compareLoads(plain, buffered)
  expect(worse.changes).toMatchObject([
    { direction: 'worse', sort: 'finding', subject: 'gateway-buffers', after: 'The gateway buffers streams.' },
  ])
  expect(isRegression(worse)).toBe(true)
  expect(compareLoads(buffered, plain).changes).toMatchObject([{ direction: 'better' }])
})

test('lists only percentiles that changed beyond their intervals', () => {
  expect(ttftMoves(1, 5000)).toEqual([])
  expect(ttftMoves(1.3, 5000)).toEqual([
    'chat-stream ttft p50: worse',
    'chat-stream ttft p90: worse',
    'chat-stream ttft p99: worse',
  ])
  expect(ttftMoves(0.7, 5000)).toEqual([
    'chat-stream ttft p50: better',
    'chat-stream ttft p90: better',
    'chat-stream ttft p99: better',
  ])
})

test('counts the inter-token latencies of a stream as one value', () => {
  const itlMoves = (streams: number) => {
    const run = (medianMs: number, seed: number): LoadDocument =>
      createLoadDocument({
        metrics: {
          'chat-stream': {
            ttftMs: createFigure({ n: streams, medianMs: 80, spread: 0 }),
            itlMs: createFigure({ n: 5000, medianMs, spread: 0.3, seed }),
          },
        },
      })
    return compareLoads(run(300, 1), run(315, 2)).moves.map(({ figure, direction }) => `${figure}: ${direction}`)
  }
  expect(itlMoves(5000)).toContain('chat-stream itl p50: worse')
  expect(itlMoves(100)).not.toContainEqual(expect.stringMatching(/itl .*: (worse|better)/))
})

test('ignores a change within the measurement error', () => {
  expect(ttftMoves(1.3, 5000, createError(400))).toEqual([])
})

test('reports a percentile with too few samples as not compared', () => {
  expect(ttftMoves(3, 100)).toEqual([
    'chat-stream ttft p50: worse',
    'chat-stream ttft p90: worse',
    'chat-stream ttft p99: unclear',
  ])
})

test('compares failed requests, stream violations and budgets', () => {
  const before = createLoadDocument({
    verdict: 'within-budgets',
    budgets: createLoadDocument().budgets.map((budget) => ({ ...budget, verdict: 'within' })),
    validation: { ...createLoadDocument().validation, violations: [] },
    requests: { ...createLoadDocument().requests, failed: 0 },
  })
  const sorts = compareLoads(before, createLoadDocument()).changes.map(({ sort, direction }) => [sort, direction])
  expect(sorts).toEqual([
    ['run', 'worse'],
    ['budget', 'worse'],
    ['budget', 'different'],
    ['failed', 'worse'],
    ['streams', 'worse'],
  ])
  expect(
    compareLoads(createLoadDocument(), {
      ...createLoadDocument(),
      requests: { ...createLoadDocument().requests, failed: 45 },
    }).changes,
  ).toEqual([])
})

test('reports different settings of two runs', () => {
  const { remarks } = compareLoads(
    createLoadDocument(),
    createLoadDocument({ profile: 'burst', settings: { vus: 51 }, calibration: null }),
  )
  expect(remarks).toEqual([
    'The runs used different settings: profile, vus, seed, warmUpS.',
    'Where an error bound was not measured, the confidence intervals alone decide.',
  ])
})

test('says in the headline that an older document gives TTFT another meaning', () => {
  const { requests } = createLoadDocument()
  const counts = { sent: 5980, ok: 5940, failed: 40, aborted: 0, good: 5733 }
  const before = createLoadDocument({ requests: { ...requests, byOperation: { 'chat-stream': counts } } })
  expect(describeComparison(compareLoads(before, createLoadDocument()))).toMatch(
    /^Nothing changed\. TTFT, ITL and TPOT differ in meaning: the first run is/,
  )
  expect(describeComparison(compareLoads(createLoadDocument(), before))).toContain('the second run is')
  expect(describeComparison(compareLoads(before, before))).toBe('Nothing changed.')
})

test('reports that the latencies of an invalid run say nothing about the target', () => {
  const [valid, invalid] = [createLoadDocument(), createLoadDocument({ verdict: 'invalid' })]
  expect(compareLoads(invalid, invalid).remarks).toEqual([
    'Both runs are invalid, so their latencies say nothing about the target.',
  ])
  expect(compareLoads(valid, invalid).remarks).toEqual([
    'The second run is invalid, so its latencies say nothing about the target.',
  ])
  expect(compareLoads(valid, valid).remarks).toEqual([])
})

test('rejects documents of different kinds or scenarios', () => {
  const conformance = { name: 'a', document: createDocument({ checks: [] }) }
  expect(() => compareDocuments(conformance, { name: 'b', document: SAMPLE_PROVE })).toThrow(
    'conformance (a) and prove (b)',
  )
  expect(() => compareLoads(createLoadDocument(), createLoadDocument({ scenario: 'images' }))).toThrow('two scenarios')
})
