import {
  nonNegativeNumberSchema,
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
  stringSchema,
} from './schema-builder.ts'

const level = enumSchema('stated', 'convention', 'unspecified')

const finding = objectSchema({ code: stringSchema, params: mapSchema(anySchema) })

const target = objectSchema(
  {
    url: stringSchema,
    baseUrl: stringSchema,
    embedded: booleanSchema,
    keys: mapSchema(stringSchema),
    models: mapSchema(stringSchema),
  },
  {
    notOffered: arraySchema(stringSchema),
    ownModels: objectSchema({ origin: enumSchema('declared', 'listed'), ids: arraySchema(stringSchema) }),
    problem: stringSchema,
    obstacle: finding,
  },
)

const requirementParts = { id: stringSchema, section: stringSchema, level, quote: stringSchema }
const requirement = unionSchema(
  objectSchema({ ...requirementParts, checks: arraySchema(stringSchema) }),
  objectSchema({ ...requirementParts, excluded: stringSchema }),
)

const wholeBody = { whole: objectSchema({ bytes: countSchema, sha256: stringSchema }) }

const response = objectSchema(
  { status: countSchema, headers: mapSchema(stringSchema), body: stringSchema },
  { ...wholeBody, events: arraySchema(objectSchema({ atMs: nonNegativeNumberSchema, data: stringSchema })) },
)

const exchange = objectSchema(
  {
    startedAtMs: nonNegativeNumberSchema,
    request: objectSchema(
      { method: stringSchema, url: stringSchema, headers: mapSchema(stringSchema), body: stringSchema },
      wholeBody,
    ),
    response: nullableSchema(response),
    truncated: booleanSchema,
  },
  { error: stringSchema },
)

const check = objectSchema(
  {
    id: stringSchema,
    requirement: stringSchema,
    section: stringSchema,
    level,
    title: stringSchema,
    verdict: enumSchema('pass', 'fail', 'warn', 'observed', 'not-testable', 'error'),
    expected: arraySchema(stringSchema),
    actual: stringSchema,
    code: stringSchema,
    params: mapSchema(anySchema),
    durationMs: nonNegativeNumberSchema,
  },
  {
    declared: stringSchema,
    knownFailure: stringSchema,
    accepted: stringSchema,
    consequence: stringSchema,
    evidence: arraySchema(exchange),
    reproduce: stringSchema,
  },
)

const partOfCause = objectSchema(
  { title: stringSchema, checks: arraySchema(stringSchema) },
  { reproduce: stringSchema },
)

const cause = objectSchema(
  { title: stringSchema, checks: arraySchema(stringSchema) },
  { reproduce: stringSchema, remedy: stringSchema, parts: arraySchema(partOfCause) },
)

const latency = objectSchema(
  {
    operation: stringSchema,
    figure: enumSchema('ttft', 'total'),
    n: countSchema,
    p50: nonNegativeNumberSchema,
    p90: nonNegativeNumberSchema,
    p99: nonNegativeNumberSchema,
    max: nonNegativeNumberSchema,
  },
  { budget: nonNegativeNumberSchema, note: stringSchema },
)

const budget = objectSchema({
  metric: stringSchema,
  statistic: stringSchema,
  op: constantSchema('<='),
  limit: nonNegativeNumberSchema,
  unit: constantSchema('ms'),
  actual: nullableSchema(nonNegativeNumberSchema),
  n: countSchema,
  needed: countSchema,
  verdict: enumSchema('within', 'broken', 'insufficient samples'),
})

const summary = objectSchema({
  pass: countSchema,
  fail: countSchema,
  warn: countSchema,
  observed: countSchema,
  notTestable: countSchema,
  error: countSchema,
})

export const conformanceSchema = documentSchema(
  'The result of a conformance run',
  objectSchema(
    {
      schemaVersion: constantSchema(1),
      kind: constantSchema('conformance'),
      tool: objectSchema({ name: stringSchema, version: stringSchema }),
      spec: objectSchema({ sha256: stringSchema }),
      target,
      startedAt: timestampSchema,
      durationMs: nonNegativeNumberSchema,
      verdict: enumSchema('conformant', 'non-conformant', 'incomplete', 'harness-error'),
      strict: booleanSchema,
      selection: nullableSchema(objectSchema({ only: arraySchema(stringSchema), skip: arraySchema(stringSchema) })),
      summary,
      spent: objectSchema({
        requests: countSchema,
        rateLimited: countSchema,
        creditsUpperBound: nullableSchema(nonNegativeNumberSchema),
        creditsKnown: nullableSchema(nonNegativeNumberSchema),
      }),
      requirements: arraySchema(requirement),
      checks: arraySchema(check),
      causes: arraySchema(cause),
      notPlanned: arraySchema(
        objectSchema({
          id: stringSchema,
          reason: stringSchema,
          code: enumSchema('not-selected', 'skipped', 'not-requested', 'not-declared', 'not-offered', 'other-models'),
        }),
      ),
      latency: arraySchema(latency),
      remarks: arraySchema(stringSchema),
      remarkFindings: arraySchema(finding),
    },
    {
      budgets: arraySchema(budget),
    },
  ),
)
