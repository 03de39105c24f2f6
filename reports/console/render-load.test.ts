import { expect, test } from 'vitest'
import type { LoadDocument } from '../load-document.ts'
import { createFigure, createLoadDocument, SAMPLE_SEARCH } from '../testing/sample-load.ts'
import { renderLoad } from './render-load.ts'

const OPTIONS = { hasColor: false }

test('the text of a load run shows the verdict first and the credits last', () => {
  const lines = renderLoad(createLoadDocument(), OPTIONS).trim().split('\n')
  expect(lines[0]).toBe(
    'BUDGET BROKEN  chat-stream (profile steady) at https://api.example.com: ttft.p99 was 912 ms; the limit is 800 ms',
  )
  expect(lines.slice(-3)).toEqual([
    '  estimate     412.5  at most, calculated before the run',
    '  counted   287.1034  tokens that the responses report, at the prices of the specification',
    '  Without the prompts of failed requests.',
  ])
})

test('shows no address of a run that ended before it started the emulator', () => {
  const document = createLoadDocument({ verdict: 'incomplete', reasons: ['There is no k6.'] })
  const text = renderLoad({ ...document, target: { ...document.target, url: '' } }, OPTIONS)
  expect(text.split('\n')[0]).toBe('INCOMPLETE  chat-stream (profile steady): There is no k6.')
})

test('shows the measurement error of each latency, and explains it', () => {
  const text = renderLoad(createLoadDocument(), OPTIONS)
  expect(text).toMatch(/chat-stream ttft +5940 .* ±1\.90\n +chat-stream itl /)
  expect(text).not.toMatch(/start lag|max/)
  const verbose = renderLoad(createLoadDocument(), { ...OPTIONS, isVerbose: true })
  expect(verbose).toMatch(/chat-stream ttft +5940 .* +\+0\.31\n +error +±1\.90 /)
  expect(verbose).toMatch(/chat-stream start lag .*\d *\n/)
  expect(text).toContain(
    'at 50 concurrent requests, over loopback without TLS (500 responses). The error does not include the network.',
  )
  expect(renderLoad(createLoadDocument({ calibration: null }), OPTIONS)).toContain('No error bound')
  const { metrics } = createLoadDocument()
  const figure = createFigure({ n: 20, medianMs: 1, spread: 0 })
  const ends = { mean: figure.mean, min: figure.min, max: figure.max, histogram: figure.histogram }
  const bounded = { ...metrics['chat-stream'], ttftMs: { ...figure, bounds: { low: ends, high: ends } } }
  const document = createLoadDocument({ metrics: { 'chat-stream': bounded }, calibration: null })
  expect(renderLoad(document, OPTIONS)).toContain(
    'Measurement error: bounds calculated from the times at which the kernel received the events',
  )
})

test('shows the time to the first text only if it differs from the time to the first token', () => {
  const stream = createLoadDocument().metrics['chat-stream']
  const ttftMs = createFigure({ n: 100, medianMs: 300, spread: 0.1 })
  const textTtftMs = createFigure({ n: 100, medianMs: 900, spread: 0.1 })
  const render = (text: typeof ttftMs) =>
    renderLoad(createLoadDocument({ metrics: { 'chat-stream': { ...stream, ttftMs, textTtftMs: text } } }), OPTIONS)
  expect(render(textTtftMs)).toMatch(/chat-stream ttft +100 .*\n +chat-stream text ttft +100 /)
  expect(render({ ...ttftMs, n: 90 })).toMatch(/chat-stream text ttft +90 /)
  expect(render(ttftMs)).not.toContain('text ttft')
})

test('shows requests and output tokens per second, with the share of responses that report usage', () => {
  const rate = (perSecond: number) => ({ perSecond, low: perSecond - 1, high: perSecond + 1 })
  const perStream = { n: 48, p50: rate(100), p10: rate(90), p5: rate(85), p1: rate(80) }
  const outputTokens = { responses: 48, withUsage: 48, perSecond: 627, perStream }
  const text = (changes: Partial<NonNullable<LoadDocument['outputTokens']>>) =>
    renderLoad(createLoadDocument({ outputTokens: { ...outputTokens, ...changes } }), OPTIONS)
  expect(text({})).toContain(`
Per second
  successful requests        9.9
  output tokens              627  usage in 48 of 48 responses
  output tokens of a stream  100  median (99 to 101) of 48 streams; 1 % below 80 (79 to 81)
`)
  expect(text({ withUsage: 40 })).toContain('  output tokens              627  at least: usage in 40 of 48 responses\n')
  expect(text({ withUsage: 0, perSecond: null, perStream: null })).toContain('unknown  usage in 0 of 48 responses\n')
})

test('names streams without text in the headline, once', () => {
  const params = { withoutText: 23, streams: 48, withoutToken: 0, cut: 23 }
  const sentence = '23 of 48 streams ended before any text.'
  const finding = { code: 'streams-without-text', params }
  const budgets = createLoadDocument().budgets.slice(1, 2)
  const render = (changes: Parameters<typeof createLoadDocument>[0]) => renderLoad(createLoadDocument(changes), OPTIONS)
  const met = render({ verdict: 'within-budgets', budgets, findings: [finding], reasons: [sentence] })
  expect(met.split('\n')[0]).toMatch(/: met its budget\. 23 of 48 streams ended before any text\.$/)
  expect(met.match(/any text/g)).toHaveLength(1)
  const [other] = createLoadDocument().findings
  const broken = render({ findings: other === undefined ? [] : [other, finding], reasons: ['It is slow.', sentence] })
  expect(broken.split('\n')[0]).toMatch(/: It is slow\. 23 of 48 streams ended before any text\.$/)
  expect(broken.match(/any text/g)).toHaveLength(1)
  const without = { code: 'streams-without-sample', params: { cause: 'text' } }
  const incomplete = render({ verdict: 'incomplete', findings: [without, finding], reasons: ['No text.', sentence] })
  expect(incomplete).not.toContain(sentence)
})

test('marks streams that arrived in a single read', () => {
  const { metrics } = createLoadDocument()
  const stream = metrics['chat-stream']
  const itlMs = { ...createFigure({ n: 20, medianMs: 1, spread: 0 }), max: 0 }
  const words = 'chat-stream: each stream arrived in one read, so there are no inter-token latencies'
  const text = renderLoad(createLoadDocument({ metrics: { ...metrics, 'chat-stream': { ...stream, itlMs } } }), OPTIONS)
  expect(text).toContain(`  ${words}\n`)
  expect(text).not.toMatch(/chat-stream itl/)
  expect(text).toMatch(/chat-stream ttft/)
  expect(renderLoad(createLoadDocument(), OPTIONS)).not.toContain('one read')
})

test('shows the measured value and the missing samples of each budget', () => {
  const budget = { metric: 'ttft', statistic: 'p99', op: '<=', limit: 800, unit: 'ms', needed: 662 } as const
  const budgets = [
    { ...budget, actual: 700.5, n: 700, verdict: 'within' },
    { ...budget, actual: 700.5, n: 20, verdict: 'insufficient samples' },
    { ...budget, actual: null, n: 0, verdict: 'not measurable' },
    { ...budget, metric: 'chat-stream.itl', actual: 900, n: 700, verdict: 'broken' },
    {
      ...budget,
      metric: 'rate',
      statistic: 'rate',
      op: '>=',
      unit: '/s',
      limit: 5,
      needed: 1,
      actual: 4,
      n: 40,
      verdict: 'broken',
    },
  ] as const
  const text = renderLoad(createLoadDocument({ budgets }), OPTIONS)
  expect(text).toContain('within                ttft.p99 <= 800 ms: 700.5 ms ± 1.9 ms, n = 700\n')
  expect(text).toContain('insufficient samples  ttft.p99 <= 800 ms: 700.5 ms ± 1.9 ms, n = 20 (needs 662)\n')
  expect(text).toContain('not measurable        ttft.p99 <= 800 ms: nothing measured\n')
  expect(text).toContain('broken                chat-stream.itl.p99 <= 800 ms: 900 ms ± 1.9 ms, n = 700\n')
  expect(text).toContain('broken                rate >= 5/s: 4/s, n = 40\n')
})

test('omits budgets and costs of a run that sent no request', () => {
  const { requests } = createLoadDocument()
  const none = { ...requests, sent: 0, ok: 0, failed: 0, dropped: 0, byStatus: {}, byError: {} }
  const document = createLoadDocument({ requests: none, metrics: {}, verdict: 'incomplete' })
  expect(renderLoad(document, OPTIONS)).toMatch(/\nThe load sent no request\.\n/)
  expect(renderLoad(document, OPTIONS)).not.toMatch(/^(Budgets|Credits)$/m)
})

test('does not claim that a run without a result sent no request', () => {
  const { requests } = createLoadDocument()
  const none = { ...requests, sent: 0, ok: 0, failed: 0, dropped: 0, byStatus: {}, byError: {} }
  const document = createLoadDocument({ requests: none, metrics: {}, verdict: 'harness-error' })
  expect(renderLoad(document, OPTIONS)).toMatch(/\nNo request was recorded\.\n/)
  expect(renderLoad(document, OPTIONS)).not.toContain('The load sent no request.')
})

test('counts responses by status and by error', () => {
  const { requests } = createLoadDocument()
  const counted = { ...requests, byStatus: { 200: 40, 503: 2 }, byError: { reset: 3 } }
  expect(renderLoad(createLoadDocument({ requests: counted }), OPTIONS)).toContain(
    'status 200: 40 · status 503: 2 · reset: 3\n',
  )
})

test('escapes text of a target, and prints colours only on request', () => {
  const violations = [{ kind: 'other', count: 1, example: '\u001b[2Jgone' }]
  const document = createLoadDocument({ validation: { streams: 1, checks: [], violations } })
  expect(renderLoad(document, OPTIONS)).not.toContain('\u001b')
  expect(renderLoad(document, { ...OPTIONS, hasColor: true })).toContain('\u001b[31m')
  expect(renderLoad(document, { ...OPTIONS, hasColor: true })).not.toContain('\u001b[2J')
})

test('shows no figure of a level whose runs ended too early, and the reason of an uncertain one', () => {
  const [step, ...others] = SAMPLE_SEARCH.steps
  if (step === undefined) throw new Error('the search has no step')
  const budget = {
    metric: 'ttft',
    statistic: 'p90',
    op: '<=',
    limit: 400,
    unit: 'ms',
    actual: 113,
    n: 24,
    needed: 64,
  } as const
  const early = {
    ...step,
    sent: 40,
    stopped: 16,
    okPerSecond: null,
    goodPerSecond: null,
    inFlight: null,
    ttft: null,
    e2e: null,
  }
  const uncertain = {
    ...early,
    outcome: 'uncertain',
    budgets: [{ ...budget, verdict: 'insufficient samples' }],
  } as const
  const text = renderLoad(createLoadDocument({ search: { ...SAMPLE_SEARCH, steps: [uncertain, ...others] } }), OPTIONS)
  expect(text).toMatch(/^ {2}4 +too few samples +1 +40 +0 +16 +– +– +– +– +– +–$/m)
})

test('divides the counts of a search by the steady load', () => {
  const text = renderLoad(createLoadDocument({ search: SAMPLE_SEARCH, okPerSecond: 15.25 }), OPTIONS)
  expect(text).toMatch(/successful requests +15\.3$/m)
})

test('shows the levels of a search, and the result in the first line', () => {
  const reasons = [
    'Holds 16 requests per second (53.3 parallel streams) at ttft.p99 <= 800 ms. At 16.8 requests per second, ttft.p99 is 827 ms; the budget is <= 800 ms.',
  ]
  const text = renderLoad(createLoadDocument({ verdict: 'within-budgets', reasons, search: SAMPLE_SEARCH }), OPTIONS)
  expect(text.split('\n')[0]).toMatch(
    /^WITHIN BUDGETS .*: Holds 16 requests per second .53\.3 parallel streams. at ttft.p99 <= 800 ms\. At 16\.8 /,
  )
  expect(text).toMatch(/^ {2}16 +holds +1 +700 +0 +0 +16 +53\.3 +500 +800 +3,167 +5,067$/m)
  expect(text).toMatch(/^ {2}16\.8 +broken +2 /m)
  expect(text).toContain('All runs together cost 1204.5 credits.')
  expect(text).toContain('At 16 requests per second\n5980 requests in ')
})
