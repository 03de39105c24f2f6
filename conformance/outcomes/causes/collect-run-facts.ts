import { OPERATIONS, type Operation } from '../../../contract/facts.ts'
import type { CheckEntry } from '../../../reports/conformance-document.ts'
import { parseJson } from '../../http/decode-body.ts'
import { hasRequestIds } from './cache-causes.ts'
import type { CheckFinding } from './finding.ts'
import { findFrequentFlakes } from './flake-causes.ts'
import {
  expectsSuccess,
  hasNoResult,
  isRule,
  listUnservedResponses,
  type RejectedValue,
  type RunFacts,
} from './run-facts.ts'
import type { Outcome } from '../outcome.ts'
import { createTruncationCause } from './stream-causes.ts'
import { ALL_OPERATIONS, formatStatus, getMember } from './title-parts.ts'

/**
 * Minimum number of checks without a result. From this number on, missing results may explain other findings of the
 * operation.
 */
const MIN_WITHOUT_RESULT = 3

/**
 * Maximum ratio of rejected to served requests up to which an operation counts as served. Each check counts as one
 * request.
 */
const MAX_REJECTED_PER_SERVED = 5

/** Check of a request whose path has a query. */
const QUERY_KEY_CHECK = '5/query-models'

export function collectRunFacts(all: readonly CheckFinding[]): RunFacts {
  // A gateway that compares whole URLs treats a key in the query as another path, so its 401 shows nothing.
  const passed = all.filter(({ entry, outcome }) => outcome.verdict === 'pass' && entry.id !== QUERY_KEY_CHECK)
  const conforming = new Map<number, Set<Operation>>()
  for (const { outcome, operation } of passed) {
    for (const status of listSeenErrorStatuses(outcome)) {
      conforming.set(status, (conforming.get(status) ?? new Set()).add(operation))
    }
  }
  const unserved = ALL_OPERATIONS.map((operation): [Operation, string[]] => {
    const responses = all
      .filter((one) => one.operation === operation)
      .flatMap(({ outcome }) => listUnservedResponses(outcome))
    return [operation, [...new Set(responses.map(formatStatus))].toSorted()]
  })
  const unlisted = all.flatMap(({ outcome }) => (outcome.code === 'models-not-listed' ? outcome.params.missing : []))
  return {
    conforming,
    served: new Set(ALL_OPERATIONS.filter((operation) => isServed(all.filter((one) => one.operation === operation)))),
    unserved: new Map(unserved),
    withoutResult: new Set(
      ALL_OPERATIONS.filter(
        (operation) =>
          all.filter((one) => one.operation === operation && hasNoResult(one)).length >= MIN_WITHOUT_RESULT,
      ),
    ),
    rejectedValues: all.flatMap(readRejectedValues),
    hasRequestIds: hasRequestIds(all),
    hasImagesElsewhere: all.some(({ outcome }) => outcome.verdict === 'fail' && isRule(outcome, 'image-url-address')),
    truncatedStreams: all.map(({ outcome }) => createTruncationCause(outcome)).find((cause) => cause !== undefined),
    frequentFlakes: findFrequentFlakes(all),
    unlisted,
    rejectsListed: all.some((finding) => isUnservedWithListed(finding, unlisted)),
    lacksChatEndpoint: all.some(isChatLikeUnknownEndpoint),
  }
}

/** Returns whether the finding shows the same 404 for a valid chat and for the same request to an unknown endpoint. */
function isChatLikeUnknownEndpoint({ entry }: CheckFinding): boolean {
  if (entry.id !== '7/unknown-endpoint-post' || entry.verdict !== 'not-testable') return false
  const [chat, unknown] = (entry.evidence ?? []).map(({ response }) => response)
  return chat?.status === 404 && unknown?.status === 404 && chat.body === unknown.body
}

/** Returns whether the target did not serve a plain chat whose model is none of `unlisted`. */
function isUnservedWithListed({ operation, outcome }: CheckFinding, unlisted: readonly string[]): boolean {
  if (operation !== 'chat' || outcome.exchange === undefined || listUnservedResponses(outcome).length === 0)
    return false
  const model = getMember(parseJson(Buffer.from(outcome.exchange.request.body ?? []).toString('utf8')), 'model')
  return typeof model === 'string' && !unlisted.includes(model)
}

function readRejectedValues({ outcome, operation }: CheckFinding): RejectedValue[] {
  const { difference, expected } = outcome
  if (difference === undefined || !('parameter' in difference) || !('value' in difference)) return []
  if (!expectsSuccess(expected)) return []
  if (outcome.code !== 'unexpected-status' && outcome.code !== 'served-only-otherwise') return []
  const { parameter, value, model } = difference
  const isUnsupported = outcome.code === 'served-only-otherwise' && 'omitted' in outcome.params.servedWith
  const unsupportedBy = isUnsupported && model !== undefined ? { unsupportedBy: model } : {}
  return [{ operation, label: formatStatus(outcome.params), parameter, value, ...unsupportedBy }]
}

/**
 * Returns the statuses with which the target rejected the invalid requests of a check that passed. Some checks also
 * pass if the target serves the request, so their expected statuses show nothing.
 */
function listSeenErrorStatuses({ code, params }: Outcome): readonly number[] {
  if (code !== 'as-expected' || params.seen?.kind !== 'error-responses') return []
  return params.seen.statuses.filter((status) => status >= 400)
}

/**
 * Returns whether an operation serves valid requests. Tolerates a few rejections, because a target may reject unusual
 * requests.
 */
function isServed(findings: readonly CheckFinding[]): boolean {
  const served = findings.filter(({ entry, operation }) => hasServed(entry, operation))
  const unserved = findings.filter(({ outcome }) => listUnservedResponses(outcome).length > 0)
  return served.length > 0 && served.length >= unserved.length / MAX_REJECTED_PER_SERVED
}

/** Returns whether the evidence of a check contains a served request to the operation. */
function hasServed({ evidence = [] }: CheckEntry, operation: Operation): boolean {
  const { method, path } = OPERATIONS[operation]
  return evidence.some(
    ({ request, response, error }) =>
      request.method === method &&
      URL.parse(request.url)?.pathname.endsWith(path) === true &&
      error === undefined &&
      response !== null &&
      response.status >= 200 &&
      response.status < 300,
  )
}
