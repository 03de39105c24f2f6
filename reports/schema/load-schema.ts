import {
  amount,
  anyNumber,
  anything,
  constant,
  count,
  documentSchema,
  either,
  flag,
  instant,
  list,
  map,
  nullable,
  object,
  oneOf,
  type SchemaOf,
  text,
} from './schema-builder.ts'

const error = object({ biasMs: anyNumber, p50Ms: amount, p99Ms: amount })

/** A delay can be slightly negative, because of the resolution of the clock. */
const figure = object({
  n: count,
  min: anyNumber,
  mean: anyNumber,
  p50: anyNumber,
  p90: anyNumber,
  p95: anyNumber,
  p99: anyNumber,
  max: anyNumber,
  error: nullable(error),
  histogram: text,
})

/** An object with an optional member for each operation. */
function byOperation<Value>(value: SchemaOf<Value>) {
  return object(
    {},
    { models: value, chat: value, 'chat-stream': value, images: value, transcriptions: value, speech: value },
  )
}

/** An object with an optional member for each latency metric. */
function byMetric<Value>(value: SchemaOf<Value>) {
  return object({}, { ttftMs: value, gapMs: value, tpotMs: value, e2eMs: value, startLagMs: value })
}

const budget = object({
  metric: text,
  statistic: text,
  op: oneOf('<=', '>='),
  limit: amount,
  unit: oneOf('ms', '%', '/s', ''),
  actual: nullable(anyNumber),
  n: count,
  needed: count,
  verdict: oneOf('within', 'broken', 'insufficient samples', 'not measurable'),
})

const seriesEntry = object({
  atS: amount,
  requests: count,
  ok: count,
  failed: count,
  inFlight: count,
  ttftP50Ms: nullable(amount),
  ttftP99Ms: nullable(amount),
  ttft: nullable(text),
})

const operationCounts = object({
  sent: count,
  ok: count,
  failed: count,
  aborted: count,
  good: count,
  withoutContent: count,
})

const requests = object({
  planned: nullable(count),
  sent: count,
  ok: count,
  dropped: count,
  byStatus: map(count),
  byError: map(count),
  failed: count,
  aborted: count,
  byOperation: byOperation(operationCounts),
})

const credits = object(
  {
    forecast: nullable(text),
    counted: nullable(text),
    ledger: nullable(text),
    tokens: map(object({ prompt: count, completion: count })),
  },
  { note: text },
)

const calibrated = object({ n: count, biasMs: anyNumber, p50Ms: amount, p99Ms: amount })
const calibration = object({
  source: oneOf('self', 'run'),
  concurrency: count,
  joined: count,
  unjoined: count,
  profiles: list(text),
  figures: byMetric(calibrated),
})

const setting: SchemaOf<string | number | boolean> = either(either(text, anyNumber), flag)

/** `load-<scenario>.json`. */
export const loadSchema = documentSchema(
  'The result of a load run',
  object(
    {
      schemaVersion: either(constant(1), constant(1.1)),
      kind: constant('load'),
      tool: object({ name: text, version: text }),
      spec: object({ sha256: text }),
      target: object({ url: text, embedded: flag, isEmulator: flag, keys: map(text), models: map(text) }),
      startedAt: instant,
      durationMs: amount,
      scenario: text,
      profile: text,
      arrivals: text,
      verdict: oneOf('within-budgets', 'budget-broken', 'incomplete', 'invalid', 'harness-error'),
      reasons: list(text),
      budgets: list(budget),
      metrics: byOperation(byMetric(figure)),
      series: list(seriesEntry),
      requests,
      goodputPerSecond: amount,
      oracle: object({
        streams: count,
        violations: list(object({ kind: text, count, example: text })),
        bodiesCompared: nullable(count),
        checks: list(object({ name: text, passes: count, fails: count })),
      }),
      credits,
      calibration: nullable(calibration),
      settings: map(setting),
    },
    {
      findings: list(object({ code: text, params: map(anything) })),
      segment: either(object({ index: count, count }), object({ merged: count })),
    },
  ),
)
