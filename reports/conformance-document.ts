import {
  anything,
  boolean,
  constant,
  count,
  document,
  list,
  map,
  nonNegative,
  nullable,
  object,
  anyOf,
  oneOf,
  optional,
  string,
  timestamp,
  type ValueOf,
} from '../common/schema/build-schema.ts'

const level = oneOf('stated', 'convention', 'unspecified')

/** A stable kebab-case code with its parameters, as defined in `conformance/findings/`. */
const finding = object({ code: string, params: map(anything) })

/** Models that the run tested although the specification does not list them. */
const ownModels = object({
  /**
   * `declared`: the target's owner specified the models. `listed`: the target's list of models contains no model of the
   * specification.
   */
  origin: oneOf('declared', 'listed'),
  ids: list(string),
})

/** A departure from the specification by design, as its owner declares it in the target file. */
const declaredDifference = object({
  /** Name of the difference in the target file, for example `validationErrors`. */
  name: string,
  /** Declared value, for example 422. */
  value: anything,
  /** Describes the declared behaviour for the headline: `validation errors get 422`. */
  text: string,
  /** Reason that the owner states. */
  why: string,
})

const targetEntry = object({
  /** Base URL without `/v1`. */
  url: string,
  /** Value of `{base_url}` in the specification, including `/v1`. */
  baseUrl: string,
  /** Whether the tested target is an emulator that the run itself started. */
  embedded: boolean,
  /** Fingerprints of the API keys, such as `sha256:1f3870be`, by role. `(hidden)` for a short key. */
  keys: map(string),
  /** Model that the run used for each operation, keyed by operation. */
  models: map(string),
  /** Parts of the specification that the target does not offer, according to its owner. */
  notOffered: optional(list(string)),
  /** Models that the run tested instead of the models of section 2.1. Absent if it tested the models of section 2.1. */
  ownModels: optional(ownModels),
  /** Differences from the specification that the target's owner declares, in the order of the target file. */
  differences: optional(list(declaredDifference)),
  /** One or two sentences that explain why the run tested nothing. */
  problem: optional(string),
  /** Code and parameters of `problem`. */
  obstacle: optional(finding),
})

const requirementParts = {
  id: string,
  section: string,
  level,
  /** The sentence of the specification, verbatim. */
  quote: string,
}
const testedRequirement = object({ ...requirementParts, checks: list(string) })
const excludedRequirement = object({ ...requirementParts, excluded: string })
export type RequirementEntry = ValueOf<typeof testedRequirement> | ValueOf<typeof excludedRequirement>

const bodyParts = {
  /** A body of up to 32 KiB, or the first 24 KiB and the last 8 KiB of a longer one, separated by `…`. */
  body: string,
  /** Size and SHA-256 digest (hex) of a longer body. */
  whole: optional(object({ bytes: count, sha256: string })),
}
/** A body. API keys are masked, and a binary body is replaced with a description. */
const bodyEntry = object(bodyParts)

const responseEntry = object({
  status: count,
  headers: map(string),
  ...bodyParts,
  /** Events of a stream. `atMs` is relative to the start of the request. */
  events: optional(list(object({ atMs: nonNegative, data: string }))),
})

/** A request and its response. If the evidence of a run becomes very large, bodies and headers are shorter. */
const exchangeEntry = object({
  startedAtMs: nonNegative,
  request: object({ method: string, url: string, headers: map(string), ...bodyParts }),
  /** Response of the target, or null if no status line arrived. */
  response: nullable(responseEntry),
  /** Whether a body, the header fields or the list of events is truncated. */
  truncated: boolean,
  error: optional(string),
})

const checkEntry = object({
  id: string,
  requirement: string,
  section: string,
  level,
  title: string,
  verdict: oneOf('pass', 'fail', 'declared', 'warn', 'observed', 'not-testable', 'error'),
  expected: list(string),
  /** Observed behaviour of the target. For `not-testable`: the missing prerequisite and how to provide it. */
  actual: string,
  /** Stable kebab-case code of the finding, as defined in `conformance/findings/`. */
  code: string,
  /**
   * Parameters of `code`. The first are `operation`, `expected` and `difference` (how the request differs from a plain
   * one), if present. The parameters of the code follow, such as `actualStatus`.
   */
  params: map(anything),
  /**
   * Value of an observation: `"accepted"`, `{ "rejected": 404 }`, a number, a boolean, a name from a fixed list, or an
   * object of these. `declares` of a target file can contain it.
   */
  value: optional(anything),
  /** ID of the failed check that reports why this check is not testable. */
  because: optional(string),
  durationMs: nonNegative,
  /** Behaviour that the target's owner declares where the specification leaves it open. */
  declared: optional(string),
  /** Declared differences that the check requires instead of the specification. */
  differences: optional(list(string)),
  /** Why this check is known to fail. If present, the failure does not affect the verdict. */
  knownFailure: optional(string),
  /** Why the owner accepts that this check is not testable. If present, the check does not affect the verdict. */
  accepted: optional(string),
  /** A client library that fails because of this behaviour, and the symptom. Present only for a warning. */
  consequence: optional(string),
  evidence: optional(list(exchangeEntry)),
  /** Shell command that repeats the request that determined the verdict. */
  reproduce: optional(string),
})

/** A common cause of several findings, for example of 21 failures and 3 checks that were not testable. */
const causeEntry = object({
  /** Stable ID, which starts with the code of the findings: `unexpected-status:422:400:invalid`. */
  id: optional(string),
  /** Describes the cause: `Validation errors get 422 instead of 400`. */
  title: string,
  checks: list(string),
  /** Shell command that demonstrates the cause. */
  reproduce: optional(string),
  /** How the owner removes the cause, for example with a setting of a proxy. */
  remedy: optional(string),
})

/** A check that was not part of the run. */
const notPlannedEntry = object({
  id: string,
  reason: string,
  /** The reason as a stable code. */
  code: oneOf('not-selected', 'skipped', 'not-requested', 'not-declared', 'not-offered', 'other-models'),
})

/**
 * Latencies of successful responses during the checks. They do not replace a load test. The suite sends separate
 * sequential requests to measure an operation that has a budget; the other latencies come from all checks, which run
 * concurrently.
 */
const latencyEntry = object({
  /** One of the five operations, or `chat-stream` for streamed chat. */
  operation: string,
  /**
   * `ttft`: time to the first token of a stream. `total`: time to the last byte. Both are milliseconds and include the
   * connection setup.
   */
  figure: oneOf('ttft', 'total'),
  n: count,
  p50: nonNegative,
  p90: nonNegative,
  p99: nonNegative,
  max: nonNegative,
  /** Strictest budget for this latency, in milliseconds. */
  budget: optional(nonNegative),
  /** Describes a known bias of the measured latency. */
  note: optional(string),
})

/** A budget with the measured value. It is neither met nor broken if there are too few samples for its statistic. */
const budgetEntry = object({
  /** Operation and metric, such as `chat-stream.ttft`. */
  metric: string,
  /** Statistic of the samples: p50, p90, p95, p99, max or mean. */
  statistic: string,
  op: constant('<='),
  limit: nonNegative,
  unit: constant('ms'),
  /** Measured value in milliseconds, or null if there are no samples. */
  actual: nullable(nonNegative),
  n: count,
  /** Minimum number of samples for the statistic. */
  needed: count,
  verdict: oneOf('within', 'broken', 'insufficient samples'),
})

const summary = object({
  pass: count,
  fail: count,
  declared: count,
  warn: count,
  observed: count,
  notTestable: count,
  error: count,
})

const spent = object({
  requests: count,
  /** Number of requests that the target rejected with 429 because the run exceeded its key's rate limit. */
  rateLimited: count,
  /**
   * Upper bound of the cost in credits: prompt bytes and `max_tokens` at the specification's prices, over all requests
   * whose key can be charged. For images and audio, only the input text counts.
   */
  creditsUpperBound: nullable(nonNegative),
  /** Cost in credits according to the `usage` of chat responses, or null if no response reported it. */
  creditsKnown: nullable(nonNegative),
})

/** Results of the suite for gateways (`--upstream`), about the sentences of contract/gateway.md. */
const gatewayResults = object({
  /** URL of the emulator to which the target forwards its requests. */
  upstream: string,
  verdict: oneOf('conformant', 'non-conformant', 'incomplete', 'harness-error'),
  summary,
  requirements: list(anyOf<RequirementEntry>(testedRequirement, excludedRequirement)),
  /** Checks of the gateway. An observed check has the policy of the gateway in `value`. */
  checks: list(checkEntry),
  causes: list(causeEntry),
  notPlanned: list(notPlannedEntry),
  spent,
  durationMs: nonNegative,
  remarks: list(string),
  /** Codes and parameters of `remarks`, in the same order. */
  remarkFindings: list(finding),
})

export const conformanceSchema = document(
  'The result of a conformance run',
  object({
    schemaVersion: constant(1),
    kind: constant('conformance'),
    tool: object({ name: string, version: string }),
    /** SHA-256 digest (hex) of the specification that the suite tests. */
    spec: object({ sha256: string }),
    target: targetEntry,
    /** Start time in ISO 8601, UTC. */
    startedAt: timestamp,
    durationMs: nonNegative,
    verdict: oneOf('conformant', 'non-conformant', 'incomplete', 'harness-error'),
    /** Whether warnings count as failures. */
    strict: boolean,
    /** IDs of checks and sections that the user selected, or null for the whole suite. */
    selection: nullable(object({ only: list(string), skip: list(string) })),
    summary,
    spent,
    requirements: list(anyOf<RequirementEntry>(testedRequirement, excludedRequirement)),
    checks: list(checkEntry),
    /**
     * Causes of the checks that failed, warned or were not testable. Causes of failures come first, then causes of
     * warnings; within each group, causes with more checks come first. Each check has one cause.
     */
    causes: list(causeEntry),
    /** Checks that were not part of the run and do not affect its verdict. */
    notPlanned: list(notPlannedEntry),
    latency: list(latencyEntry),
    /** Findings about the run as a whole, one sentence each, such as an exceeded budget or an early end. */
    remarks: list(string),
    /** Codes and parameters of `remarks`, in the same order. */
    remarkFindings: list(finding),
    budgets: optional(list(budgetEntry)),
    /** Present only with `--upstream`. `verdict` and `summary` of the document do not include these results. */
    gateway: optional(gatewayResults),
  }),
)

/** The document `conformance.json`. `…Ms` are milliseconds; points in time are relative to `startedAt`. */
export type ConformanceDocument = ValueOf<typeof conformanceSchema>
export type RunVerdict = ConformanceDocument['verdict']
export type VerdictCounts = ValueOf<typeof summary>
export type SpentTotals = ValueOf<typeof spent>
export type TargetEntry = ValueOf<typeof targetEntry>
export type DeclaredDifferenceEntry = ValueOf<typeof declaredDifference>
export type OwnModels = ValueOf<typeof ownModels>
export type CheckEntry = ValueOf<typeof checkEntry>
export type CheckVerdict = CheckEntry['verdict']
export type CauseEntry = ValueOf<typeof causeEntry>
export type NotPlannedEntry = ValueOf<typeof notPlannedEntry>
export type GatewayResults = ValueOf<typeof gatewayResults>
export type DocumentFinding = ValueOf<typeof finding>
export type BodyEntry = ValueOf<typeof bodyEntry>
export type ExchangeEntry = ValueOf<typeof exchangeEntry>
export type ResponseEntry = ValueOf<typeof responseEntry>
export type LatencyEntry = ValueOf<typeof latencyEntry>
export type BudgetEntry = ValueOf<typeof budgetEntry>
