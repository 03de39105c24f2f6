import {
  nonNegativeNumberSchema,
  numberSchema,
  anySchema,
  constantSchema,
  countSchema,
  documentSchema,
  unionSchema,
  booleanSchema,
  timestampSchema,
  arraySchema,
  mapSchema,
  nullableSchema,
  objectSchema,
  enumSchema,
  type TypedSchema,
  stringSchema,
} from './schema-builder.ts'

const errorBounds = {
  biasMs: numberSchema,
  p50Ms: nonNegativeNumberSchema,
  p90Ms: nonNegativeNumberSchema,
  p95Ms: nonNegativeNumberSchema,
  p99Ms: nonNegativeNumberSchema,
  maxMs: nonNegativeNumberSchema,
}
const error = objectSchema(errorBounds)

const ends = objectSchema({ mean: numberSchema, min: numberSchema, max: numberSchema, histogram: stringSchema })

/**
 * Schema of latencies. They may be negative, because the resolution of the clock can make a short delay slightly
 * negative.
 */
const figure = objectSchema(
  {
    n: countSchema,
    min: numberSchema,
    mean: numberSchema,
    p50: numberSchema,
    p90: numberSchema,
    p95: numberSchema,
    p99: numberSchema,
    max: numberSchema,
    error: nullableSchema(error),
    histogram: stringSchema,
  },
  { bounds: objectSchema({ low: ends, high: ends }) },
)

/** Builds the schema of an object with an optional member for each operation. */
function byOperation<Value>(value: TypedSchema<Value>) {
  return objectSchema(
    {},
    { models: value, chat: value, 'chat-stream': value, images: value, transcriptions: value, speech: value },
  )
}

/** Builds the schema of an object with an optional member for each latency metric. */
function byMetric<Value>(value: TypedSchema<Value>) {
  return objectSchema(
    {},
    {
      ttftMs: value,
      itlMs: value,
      tpotMs: value,
      e2eMs: value,
      startLagMs: value,
      blockedMs: value,
      connectingMs: value,
      tlsMs: value,
    },
  )
}

const budget = objectSchema({
  metric: stringSchema,
  statistic: stringSchema,
  op: enumSchema('<=', '>='),
  limit: nonNegativeNumberSchema,
  unit: enumSchema('ms', '%', '/s', ''),
  actual: nullableSchema(numberSchema),
  n: countSchema,
  needed: countSchema,
  verdict: enumSchema('within', 'broken', 'insufficient samples', 'not measurable'),
})

const seriesEntry = objectSchema({
  atS: nonNegativeNumberSchema,
  requests: countSchema,
  ok: countSchema,
  failed: countSchema,
  inFlight: countSchema,
  ttftP50Ms: nullableSchema(nonNegativeNumberSchema),
  ttftP99Ms: nullableSchema(nonNegativeNumberSchema),
  ttft: nullableSchema(stringSchema),
})

const operationCounts = objectSchema({
  sent: countSchema,
  ok: countSchema,
  failed: countSchema,
  aborted: countSchema,
  good: countSchema,
  withoutContent: countSchema,
})

const requests = objectSchema({
  planned: nullableSchema(countSchema),
  sent: countSchema,
  ok: countSchema,
  dropped: countSchema,
  byStatus: mapSchema(countSchema),
  byError: mapSchema(countSchema),
  failed: countSchema,
  aborted: countSchema,
  byOperation: byOperation(operationCounts),
})

const credits = objectSchema(
  {
    estimate: nullableSchema(stringSchema),
    counted: nullableSchema(stringSchema),
    ledger: nullableSchema(stringSchema),
    tokens: mapSchema(objectSchema({ prompt: countSchema, completion: countSchema })),
  },
  { note: stringSchema },
)

const calibrated = objectSchema({ n: countSchema, ...errorBounds })
const calibration = objectSchema({
  source: enumSchema('self', 'run'),
  concurrency: countSchema,
  joined: countSchema,
  unjoined: countSchema,
  profiles: arraySchema(stringSchema),
  figures: byMetric(calibrated),
})

const addedValue = objectSchema({
  ms: numberSchema,
  lowMs: nullableSchema(numberSchema),
  highMs: nullableSchema(numberSchema),
})
const addedFigure = objectSchema({
  n: countSchema,
  mean: addedValue,
  p50: addedValue,
  p90: addedValue,
  p95: addedValue,
  p99: addedValue,
  max: addedValue,
})
const upstream = objectSchema({
  url: stringSchema,
  method: enumSchema('record', 'turns'),
  compared: countSchema,
  responses: countSchema,
  added: objectSchema({}, { ttftMs: addedFigure, itlMs: addedFigure, e2eMs: addedFigure }),
  forwarding: nullableSchema(
    objectSchema({
      sent: countSchema,
      received: countSchema,
      isIdentified: booleanSchema,
      retried: nullableSchema(countSchema),
      duplicated: nullableSchema(countSchema),
      withheld: nullableSchema(countSchema),
      lost: nullableSchema(countSchema),
      repeated: countSchema,
    }),
  ),
  streams: nullableSchema(
    objectSchema({ judged: countSchema, rebatched: countSchema, buffered: countSchema, sentAtOnce: countSchema }),
  ),
  credits: nullableSchema(objectSchema({ seen: nullableSchema(stringSchema), charged: stringSchema })),
})

const searchLatency = objectSchema({
  p50Ms: nonNegativeNumberSchema,
  p90Ms: nonNegativeNumberSchema,
  p99Ms: nonNegativeNumberSchema,
})
const search = objectSchema({
  holdsAtRate: nullableSchema(nonNegativeNumberSchema),
  brokenAtRate: nullableSchema(nonNegativeNumberSchema),
  resolutionPercent: nonNegativeNumberSchema,
  end: enumSchema(
    'resolution',
    'max-rate',
    'no-rate',
    'uncertain',
    'generator',
    'max-duration',
    'spend-limit',
    'no-success',
    'run-failed',
    'interrupted',
  ),
  credits: nullableSchema(stringSchema),
  steps: arraySchema(
    objectSchema({
      rate: nonNegativeNumberSchema,
      outcome: enumSchema('holds', 'broken', 'uncertain', 'generator'),
      runs: countSchema,
      sent: countSchema,
      failed: countSchema,
      okPerSecond: nonNegativeNumberSchema,
      maxInFlight: countSchema,
      ttft: nullableSchema(searchLatency),
      e2e: nullableSchema(searchLatency),
      budgets: arraySchema(budget),
    }),
  ),
})

const setting: TypedSchema<string | number | boolean> = unionSchema(
  unionSchema(stringSchema, numberSchema),
  booleanSchema,
)

export const loadSchema = documentSchema(
  'The result of a load run',
  objectSchema(
    {
      schemaVersion: constantSchema(1),
      kind: constantSchema('load'),
      tool: objectSchema({ name: stringSchema, version: stringSchema }),
      spec: objectSchema({ sha256: stringSchema }),
      target: objectSchema({
        url: stringSchema,
        embedded: booleanSchema,
        isEmulator: booleanSchema,
        keys: mapSchema(stringSchema),
        models: mapSchema(stringSchema),
      }),
      startedAt: timestampSchema,
      durationMs: nonNegativeNumberSchema,
      scenario: stringSchema,
      profile: stringSchema,
      arrivals: stringSchema,
      verdict: enumSchema('within-budgets', 'budget-broken', 'incomplete', 'invalid', 'harness-error'),
      reasons: arraySchema(stringSchema),
      findings: arraySchema(objectSchema({ code: stringSchema, params: mapSchema(anySchema) })),
      budgets: arraySchema(budget),
      metrics: byOperation(byMetric(figure)),
      series: arraySchema(seriesEntry),
      requests,
      goodputPerSecond: nonNegativeNumberSchema,
      validation: objectSchema({
        streams: countSchema,
        violations: arraySchema(objectSchema({ kind: stringSchema, count: countSchema, example: stringSchema })),
        bodiesCompared: nullableSchema(countSchema),
        checks: arraySchema(objectSchema({ name: stringSchema, passes: countSchema, fails: countSchema })),
      }),
      credits,
      calibration: nullableSchema(calibration),
      settings: mapSchema(setting),
    },
    {
      upstream,
      search,
      command: stringSchema,
      segment: unionSchema(
        objectSchema(
          { index: countSchema, count: countSchema },
          { targetClock: objectSchema({ lowMs: numberSchema, highMs: numberSchema }) },
        ),
        objectSchema({ merged: countSchema }),
      ),
    },
  ),
)
