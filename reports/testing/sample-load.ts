import { build, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js'
import type { LoadDocument, LoadError, LoadFigure, SeriesEntry } from '../load-document.ts'
import type { LoadSearch } from '../load-parts-document.ts'

interface Shape {
  readonly n: number
  readonly medianMs: number
  /** Standard deviation of the logarithm: 0.3 for an idle service, 0.8 for an overloaded service. */
  readonly spread: number
  readonly seed?: number
}

const known = new Map<string, Omit<LoadFigure, 'error'>>()

/**
 * Builds a figure of log-normal latencies. The same shape gives the same figure. Figures are cached, because each takes
 * 0.1 s to create.
 */
export function createFigure(shape: Shape, error: LoadFigure['error'] = null): LoadFigure {
  const { n, medianMs, spread, seed = 1 } = shape
  const key = [n, medianMs, spread, seed].join()
  const times = known.get(key) ?? drawTimes({ n, medianMs, spread, seed })
  known.set(key, times)
  const { histogram, ...statistics } = times
  return { ...statistics, error, histogram }
}

function drawTimes({ n, medianMs, spread, seed }: Required<Shape>): Omit<LoadFigure, 'error'> {
  const histogram = createHistogram(4)
  const random = createRandomGenerator(seed)
  for (let index = 0; index < n; index += 1) {
    histogram.recordValue(Math.max(1, Math.round(1000 * medianMs * Math.exp(spread * random()))))
  }
  const at = (percent: number): number => histogram.getValueAtPercentile(percent) / 1000
  return {
    n,
    min: at(0),
    mean: Math.round(histogram.mean) / 1000,
    p50: at(50),
    p90: at(90),
    p95: at(95),
    p99: at(99),
    max: at(100),
    histogram: encodeIntoCompressedBase64(histogram),
  }
}

const BUDGETS: LoadDocument['budgets'] = [
  {
    metric: 'ttft',
    statistic: 'p99',
    op: '<=',
    limit: 800,
    unit: 'ms',
    actual: 912,
    n: 5940,
    needed: 1000,
    verdict: 'broken',
  },
  {
    metric: 'itl',
    statistic: 'p99',
    op: '<=',
    limit: 120,
    unit: 'ms',
    actual: 61.2,
    n: 90_000,
    needed: 1000,
    verdict: 'within',
  },
  {
    metric: 'images.e2e',
    statistic: 'p99',
    op: '<=',
    limit: 4000,
    unit: 'ms',
    actual: 1844,
    n: 212,
    needed: 1000,
    verdict: 'insufficient samples',
  },
  {
    metric: 'failed',
    statistic: 'rate',
    op: '<=',
    limit: 1,
    unit: '%',
    actual: 0.67,
    n: 5980,
    needed: 1,
    verdict: 'within',
  },
]

const OUTPUT = {
  responses: 5940,
  withUsage: 5940,
  completionTokens: 90_412,
  streams: 5940,
  withoutToken: 0,
  withoutText: 0,
  cutBeforeText: 0,
}

const REQUESTS: LoadDocument['requests'] = {
  planned: 6000,
  sent: 5980,
  ok: 5940,
  dropped: 20,
  byStatus: { 200: 5940, 429: 31, 503: 6 },
  byError: { 'connection reset': 3 },
  failed: 40,
  aborted: 0,
  byOperation: { 'chat-stream': { sent: 5980, ok: 5940, failed: 40, aborted: 0, good: 5733, output: OUTPUT } },
}

/** Builds a measurement error with the same bound for each statistic. */
export function createError(ms: number, biasMs = 0): LoadError {
  return { biasMs, p50Ms: ms, p90Ms: ms, p95Ms: ms, p99Ms: ms, maxMs: ms }
}

/**
 * Builds the document of a ten-minute load run, and applies the changes.
 * @param scale factor of the number of samples of each figure
 */
export function createLoadDocument(changes: Partial<LoadDocument> = {}, scale = 1): LoadDocument {
  const error = createError(1.9, 0.31)
  return {
    schemaVersion: 1,
    kind: 'load',
    tool: { name: 'touchstone', version: '0.0.0' },
    spec: { sha256: '0' },
    target: {
      url: 'https://api.example.com',
      embedded: false,
      isEmulator: false,
      keys: { funded: '…k3Yq' },
      models: { chat: 'o3-mini' },
    },
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 600_000,
    scenario: 'chat-stream',
    profile: 'steady',
    arrivals: 'open, 10/s',
    verdict: 'budget-broken',
    reasons: ['ttft.p99 was 912 ms; the limit is 800 ms'],
    findings: [
      {
        code: 'budget-broken',
        params: { metric: 'ttft.p99', actual: 912, op: '<=', limit: 800, unit: 'ms' },
      },
    ],
    budgets: BUDGETS,
    metrics: {
      'chat-stream': {
        ttftMs: createFigure({ n: 5940 * scale, medianMs: 310, spread: 0.45 }, error),
        itlMs: createFigure({ n: 90_000 * scale, medianMs: 21, spread: 0.4, seed: 2 }, error),
        e2eMs: createFigure({ n: 5940 * scale, medianMs: 1900, spread: 0.35, seed: 3 }, error),
        startLagMs: createFigure({ n: 5980 * scale, medianMs: 0.2, spread: 0.8, seed: 4 }),
      },
      images: { e2eMs: createFigure({ n: 212 * scale, medianMs: 900, spread: 0.3, seed: 5 }, error) },
    },
    series: seriesOf(600),
    requests: REQUESTS,
    goodputPerSecond: 9.55,
    validation: {
      streams: 5940,
      checks: [
        { name: 'chat-stream: the response has events', passes: 5940, fails: 0 },
        { name: 'chat-stream: the stream ends with [DONE]', passes: 5938, fails: 2 },
        { name: 'a 429 carries Retry-After', passes: 0, fails: 0 },
      ],
      violations: [{ kind: 'no [DONE] at the end', count: 2, example: 'data: {"choices":[{"finish_reason":"stop"}]}' }],
    },
    credits: {
      estimate: '412.5',
      counted: '287.1034',
      ledger: null,
      tokens: { 'o3-mini': { prompt: 71_200, completion: 90_412 } },
      note: 'Without the prompts of failed requests.',
    },
    calibration: {
      source: 'self',
      concurrency: 50,
      joined: 500,
      unjoined: 0,
      profiles: ['fast', 'typical'],
      figures: { ttftMs: { n: 500, ...error }, itlMs: { n: 9000, ...error } },
    },
    command: `npx --no touchstone load --target https://api.example.com --key "$TOUCHSTONE_KEY" --seed 1 --budget 'ttft.p99<=800ms'`,
    settings: { vus: 50, seed: 1, warmUpS: 10 },
    ...changes,
  }
}

/**
 * Result of a search against a service whose latency grows with the rate, and whose p99 exceeds its budget above 16
 * requests per second.
 */
export const SAMPLE_SEARCH: LoadSearch = {
  capacity: { from: 16, to: 16.8, unit: 'requests per second' },
  resolutionPercent: 5,
  end: 'resolution',
  durationS: 142,
  credits: '1204.5',
  steps: [4, 8, 16, 16.8, 19, 22.6, 32].map((level) => {
    const slowdown = 1 / (1 - level / 40)
    const latency = (ms: number) => ({ p50Ms: ms * slowdown, p90Ms: 1.3 * ms * slowdown, p99Ms: 1.6 * ms * slowdown })
    return {
      level,
      outcome: level > 16 ? 'broken' : 'holds',
      runs: level === 16.8 ? 2 : 1,
      sent: 700,
      failed: level > 30 ? 12 : 0,
      stopped: 0,
      byStatus: level > 30 ? { 200: 688, 429: 12 } : { 200: 700 },
      byError: {},
      okPerSecond: Math.min(level, 28),
      goodPerSecond: level > 16 ? 256 / level : level,
      inFlight: 2 * level * slowdown,
      ttft: latency(300),
      e2e: latency(1900),
      budgets: [],
    }
  }),
  overload: {
    level: 32,
    durationS: 6,
    ok: 168,
    failed: 24,
    okPerSecond: 28,
    ttft: { p50Ms: 1500, p90Ms: 1950, p99Ms: 2400 },
    byStatus: { 200: 360, 429: 24 },
    byError: {},
    recoveryLevel: 16,
    recoveryS: 12,
    recoveryMetrics: ['ttft', 'failed.rate'],
    recoveredAfterS: 3,
  },
}

function seriesOf(seconds: number): SeriesEntry[] {
  const random = createRandomGenerator(9)
  return Array.from({ length: seconds }, (_, atS) => {
    const isSlow = atS > 300 && atS < 360
    const requests = Math.max(0, Math.round(10 + 2 * random()))
    const failed = isSlow && atS % 3 === 0 ? 1 : 0
    const ttftP50Ms = (isSlow ? 700 : 310) + 30 * random()
    return {
      atS,
      requests,
      ok: Math.max(0, requests - failed),
      failed,
      inFlight: isSlow ? 60 : 24 + Math.round(3 * random()),
      // A second without responses has no percentile and interrupts the line of the chart.
      ttftP50Ms: atS === 420 ? null : ttftP50Ms,
      ttftP99Ms: atS === 420 ? null : ttftP50Ms * 2.4,
      ttft: null,
    }
  })
}

function createHistogram(digits: 2 | 4): Histogram {
  return build({ bitBucketSize: 64, numberOfSignificantValueDigits: digits, autoResize: true })
}

/** Creates a generator of normally distributed numbers. The same seed gives the same sequence. */
export function createRandomGenerator(seed: number): () => number {
  let state = seed * 2654435761
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state + 0.5) / 2 ** 32
  }
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
}
