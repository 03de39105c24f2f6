import {
  amount,
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
  text,
} from './schema-builder.ts'

const level = oneOf('stated', 'convention', 'silent')

const finding = object({ code: text, params: map(anything) })

const target = object(
  { url: text, baseUrl: text, embedded: flag, keys: map(text), models: map(text) },
  {
    notOffered: list(text),
    ownModels: object({ origin: oneOf('declared', 'listed'), ids: list(text) }),
    problem: text,
    obstacle: finding,
  },
)

const requirementParts = { id: text, section: text, level, quote: text }
const requirement = either(
  object({ ...requirementParts, checks: list(text) }),
  object({ ...requirementParts, excluded: text }),
)

const response = object(
  { status: count, headers: map(text), body: text },
  { events: list(object({ atMs: amount, data: text })) },
)

const exchange = object(
  {
    startedAtMs: amount,
    request: object({ method: text, url: text, headers: map(text), body: text }),
    response: nullable(response),
    truncated: flag,
  },
  { error: text },
)

const check = object(
  {
    id: text,
    requirement: text,
    section: text,
    level,
    title: text,
    verdict: oneOf('pass', 'fail', 'warn', 'observed', 'not-testable', 'error'),
    expected: list(text),
    actual: text,
    durationMs: amount,
  },
  {
    declared: text,
    knownFailure: text,
    accepted: text,
    code: text,
    params: map(anything),
    consequence: text,
    evidence: list(exchange),
    reproduce: text,
  },
)

const cause = object({ title: text, checks: list(text) }, { reproduce: text })

const latency = object(
  { operation: text, figure: oneOf('ttft', 'total'), n: count, p50: amount, p90: amount, p99: amount, max: amount },
  { budget: amount, note: text },
)

const budget = object({
  metric: text,
  statistic: text,
  op: constant('<='),
  limit: amount,
  unit: constant('ms'),
  actual: nullable(amount),
  n: count,
  needed: count,
  verdict: oneOf('within', 'broken', 'insufficient samples'),
})

const summary = object({ pass: count, fail: count, warn: count, observed: count, notTestable: count, error: count })

/** `conformance.json`. */
export const conformanceSchema = documentSchema(
  'The result of a conformance run',
  object(
    {
      schemaVersion: either(constant(1), either(constant(1.1), constant(1.2))),
      kind: constant('conformance'),
      tool: object({ name: text, version: text }),
      spec: object({ sha256: text }),
      target,
      startedAt: instant,
      durationMs: amount,
      verdict: oneOf('conformant', 'non-conformant', 'incomplete', 'harness-error'),
      strict: flag,
      selection: nullable(object({ only: list(text), skip: list(text) })),
      summary,
      spent: object(
        { requests: count, creditsUpperBound: nullable(amount), creditsKnown: nullable(amount) },
        { rateLimited: count },
      ),
      requirements: list(requirement),
      checks: list(check),
      notPlanned: list(
        object(
          { id: text, reason: text },
          { code: oneOf('not-selected', 'skipped', 'not-requested', 'not-declared', 'not-offered', 'other-models') },
        ),
      ),
      latency: list(latency),
    },
    {
      expectedDurationMs: amount,
      causes: list(cause),
      budgets: list(budget),
      remarks: list(text),
      remarkFindings: list(finding),
    },
  ),
)
