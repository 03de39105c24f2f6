import type { Operation } from '../../../contract/facts.ts'
import { parseJson } from '../../http/decode-body.ts'
import type { Outcome } from '../outcome.ts'
import type { ResponseParams } from '../observed-facts.ts'
import { findCacheCauses } from './cache-causes.ts'
import { chooseCommand, preferSection } from './choose-command.ts'
import { createPossibleCause, type CauseFamily, type CheckFinding, type PossibleCause } from './finding.ts'
import { getErrorStatuses, expectsSuccess, concernsValidRequests, type RunFacts } from './run-facts.ts'
import { createNoResultCause, hasResult } from './no-result-cause.ts'
import { findStreamError } from '../../http/stream-error.ts'
import { buildOtherCause } from './other-cause.ts'
import { describeInvalidKeys, describeUncheckedKeys } from './key-titles.ts'
import { describeResponses, namesOneParameter, partialTitle } from './partial-title.ts'
import { BODY_LIMIT_REMEDY } from './remedies.ts'
import { findSameResponseCauses } from './unserved-causes.ts'
import {
  describeEndpoint,
  detectResponseFormat,
  gotStream,
  ON_STREAMS,
  formatList,
  formatResponseNoun,
  formatScope,
  formatStatus,
  getMember,
  listOperations,
} from './title-parts.ts'

/** A category of invalid requests, with the error status that the specification requires. */
interface InvalidKind {
  readonly name: string
  readonly status: number
  /** Formats the subject of the cause's title, such as `Requests without a key`. */
  readonly subject: (members: readonly CheckFinding[]) => string
  /**
   * Formats the title if the target serves such requests. `conforming` contains the operations that reject some of them
   * as specified.
   */
  readonly served: (members: readonly CheckFinding[], conforming: ReadonlySet<Operation>) => string
}

const VALIDATION: InvalidKind = {
  name: 'validation',
  status: 400,
  subject: () => 'Validation errors',
  served: (members) => `Invalid requests are served (${statusesOf(members)}) instead of getting 400`,
}

const KEYS: InvalidKind = {
  name: 'keys',
  status: 401,
  subject: describeInvalidKeys,
  served: describeUncheckedKeys,
}

const CREDITS: InvalidKind = {
  name: 'credits',
  status: 402,
  subject: () => 'Requests of an account without credits',
  served: () => 'Credits are not enforced: requests of an account without credits are served instead of getting 402',
}

const MODELS: InvalidKind = {
  name: 'unknown-models',
  status: 404,
  subject: () => 'Requests with an unknown model',
  served: () => 'Requests with an unknown model are served instead of getting 404',
}

const ENDPOINTS: InvalidKind = {
  name: 'unknown-endpoints',
  status: 404,
  subject: () => 'Requests to an unknown endpoint',
  served: () => 'Requests to an unknown endpoint are served instead of getting 404',
}

const RATE_LIMIT: InvalidKind = {
  name: 'rate-limit',
  status: 429,
  subject: () => 'Requests beyond the rate limit',
  served: () => 'Requests beyond the rate limit are served instead of getting 429',
}

/** Returns the possible causes of an incorrect status for an invalid request. */
export function findErrorStatusCauses(finding: CheckFinding, run: RunFacts): PossibleCause[] {
  if (finding.outcome.code === 'key-without-prefix') {
    // If no request gets a 401, the target does not check keys at all. This also explains why it accepts a key without
    // the prefix.
    return [KEY_PREFIX_IGNORED, ...(run.conforming.has(KEYS.status) ? [] : [statusCause(KEYS, '2xx', run)])]
  }
  // An oversized body is not a validation error, so its status is a separate cause.
  if (isTooLarge(finding.outcome)) return [BODY_TOO_LARGE]
  const seen = wrongStatusOf(finding.outcome)
  const declared = findDeclaredStatusCause(finding, run)
  if (declared !== undefined) return [buildOtherCause(finding), declared]
  if (seen === undefined) return hasErrorIn200(finding) ? [ERROR_IN_200] : []
  const { kind, response } = seen
  const label = formatStatus(response)
  if (label === '2xx' && hasErrorBody(finding)) return [ERROR_IN_200]
  // A burst expects 2xx or 429, but its bodies are small.
  const isOutside = isOutsideTable(finding.outcome) && !allowsAnyRejection(finding.outcome) && kind !== RATE_LIMIT
  const lacksResult = label === '2xx' && run.withoutResult.has(finding.operation) && !hasResult(finding)
  return [
    ...(isOutside ? [outsideTable(label)] : findSameResponseCauses(finding, label, run)),
    ...(lacksResult ? [createNoResultCause(finding.operation)] : []),
    statusCause(kind, label, run),
    ...(label === '2xx' ? findCacheCauses(finding, run) : []),
  ]
}

/**
 * Returns the cause that invalid requests get an incorrect status, if the owner declares an error status of section 7
 * for a request whose treatment is unspecified, and the target returns another status.
 */
function findDeclaredStatusCause({ entry, outcome }: CheckFinding, run: RunFacts): PossibleCause | undefined {
  if (outcome.code !== 'observed-response' || entry.verdict !== 'fail') return undefined
  const { seen } = outcome.params
  if (seen.kind !== 'response' || Number(entry.declared) !== VALIDATION.status) return undefined
  return statusCause(VALIDATION, formatStatus(seen), run)
}

/**
 * Returns the possible causes of a finding about credits or a rate limit: the target does not enforce credits, or it
 * checks no keys of the operation, and so cannot know the account.
 */
export function findAccountCauses({ outcome, operation }: CheckFinding, run: RunFacts): PossibleCause[] {
  const seen = wrongStatusOf(outcome)
  const isServedWithoutCredits = seen?.kind === CREDITS && formatStatus(seen.response) === '2xx'
  const isAboutAccount = isServedWithoutCredits || ABOUT_ACCOUNT.has(outcome.code) || lacksLimitedResponse(outcome)
  const isUnchecked = isAboutAccount && !run.conforming.get(KEYS.status)?.has(operation)
  return [
    ...(outcome.code === 'balance-exceeded' ? [statusCause(CREDITS, '2xx', run)] : []),
    ...(isUnchecked ? [statusCause(KEYS, '2xx', run)] : []),
  ]
}

/**
 * Returns the possible cause of a completion that names another model than its request: the target serves unknown
 * models. Returns an empty array if the target lists the model of the request.
 */
export function findServedUnknownModelCauses({ outcome }: CheckFinding, run: RunFacts): PossibleCause[] {
  const { code, params, difference } = outcome
  const isAboutModel = code === 'wrong-value' && params.path === 'model'
  const isUnlisted = difference !== undefined && 'of' in difference && run.unlisted.includes(difference.model ?? '')
  return isAboutModel && isUnlisted ? [statusCause(MODELS, '2xx', run)] : []
}

const ABOUT_ACCOUNT: ReadonlySet<string> = new Set(['balance-exceeded', 'limit-not-enforced', 'limit-not-reached'])

function lacksLimitedResponse(outcome: Outcome): boolean {
  return outcome.code === 'no-evidence' && outcome.params.missing === 'limited-response'
}

/** Creates the possible cause that the target responds to a category of invalid requests with an incorrect status. */
function statusCause(kind: InvalidKind, label: string, run: RunFacts): PossibleCause {
  const conforming = findConformingOperations(kind, run)
  const title = (members: readonly CheckFinding[]): string =>
    kind === VALIDATION && (members.length === 1 || listOperations(members).every((one) => conforming.has(one)))
      ? partialTitle(members, label)
      : label === '2xx'
        ? kind.served(members, conforming) + formatScope(members, conforming)
        : `${kind.subject(members)}${formatScope(members, conforming)} ${describeResponses(label)} instead of ${kind.status}`
  return {
    key: `${kind.name} ${label}`,
    title,
    command: (members) =>
      chooseCommand(label === '2xx' && namesOneParameter(members) ? members : preferSection(members, '7')),
    families: [
      { key: kind.name, title: (members) => mixedTitle([kind], kind.subject(members), members) },
      ...(PARAMETER_ERRORS.includes(kind) ? [INVALID_REQUESTS] : []),
    ],
  }
}

/** Categories of invalid requests whose error depends only on the parameters. */
const PARAMETER_ERRORS: readonly InvalidKind[] = [VALIDATION, MODELS]

const INVALID_REQUESTS: CauseFamily = {
  key: 'invalid requests',
  title: (members) => mixedTitle(PARAMETER_ERRORS, 'Invalid requests', members),
  isWide: true,
}

const KEY_PREFIX_IGNORED = createPossibleCause('key prefix', 'A key without the prefix `sk-svc-` is accepted')

/** Possible cause: the target sends `{"error": …}` with a success status. */
const ERROR_IN_200: PossibleCause = {
  key: 'error in 200',
  title: (members) => {
    const operations = listOperations(members)
    const onOperations = operations.length > 2 ? '' : ` on ${formatList(operations.map(describeEndpoint))}`
    const place = members.every(gotStream) ? ON_STREAMS : onOperations
    if (members.every(({ entry }) => detectResponseFormat(entry) === 'a stream'))
      return `Stream errors are events in a response with status ${statusesOf(members)} instead of an error status`
    return `Error responses${place} have status ${statusesOf(members)} instead of an error status`
  },
}

/** Returns whether a request that the target may serve got an error body with a success status. */
function hasErrorIn200(finding: CheckFinding): boolean {
  const { code, exchange } = finding.outcome
  const status = exchange?.status ?? finding.entry.evidence?.at(-1)?.response?.status ?? 0
  return LACKS_RESULT.has(code) && status >= 200 && status < 300 && hasErrorBody(finding)
}

const LACKS_RESULT: ReadonlySet<string> = new Set(['missing-field', 'wrong-type', 'wrong-value', 'mp3-malformed'])

/** Returns whether the last 2xx response contains an error. The evidence can end with a response to another key. */
function hasErrorBody({ outcome, entry }: CheckFinding): boolean {
  const last = entry.evidence?.findLast(({ response }) => Math.floor((response?.status ?? 0) / 100) === 2)
  const json = outcome.exchange?.json ?? parseJson(last?.response?.body ?? '')
  return isError(getMember(json, 'error')) || findStreamError({ events: last?.response?.events ?? [] }) !== undefined
}

function isError(error: unknown): boolean {
  return (typeof error === 'object' && error !== null) || (typeof error === 'string' && error !== '')
}

/**
 * Returns the operations that reject a category of invalid requests as specified. If two categories have the same
 * status, a conforming response counts only if it cannot belong to the other category.
 */
function findConformingOperations({ name, status }: InvalidKind, { conforming }: RunFacts): ReadonlySet<Operation> {
  const operations = conforming.get(status) ?? new Set()
  if (name === ENDPOINTS.name) return new Set()
  return name === MODELS.name ? new Set([...operations].filter((operation) => operation !== 'models')) : operations
}

/**
 * Returns whether the target sent a status outside the table of section 7 for a request that it may either serve or
 * reject.
 */
function isOutsideTable({ code, expected, params }: Outcome): boolean {
  return (
    code === 'unexpected-status' && expectsSuccess(expected) && 'actualStatus' in params && params.actualStatus < 500
  )
}

/** Returns whether the target rejected a body that it may serve, because of the size of the body. */
function isTooLarge(outcome: Outcome): boolean {
  const isRejected = outcome.code === 'unexpected-status' && outcome.params.actualStatus === 413
  return isRejected && expectsSuccess(outcome.expected) && !allowsAnyRejection(outcome)
}

/** Possible cause: the target has a size limit for bodies. The limit may be lower than the size of an audio file. */
const BODY_TOO_LARGE: PossibleCause = {
  key: 'body too large',
  title: (members) =>
    `${members.some(({ outcome }) => concernsValidRequests(outcome)) ? 'Bodies above a size limit' : 'Large bodies'} get 413, a status that section 7 does not name`,
  remedy: () => BODY_LIMIT_REMEDY,
}

function outsideTable(label: string): PossibleCause {
  return { key: `outside ${label}`, title: () => `Large bodies get ${label}, a status that section 7 does not name` }
}

/**
 * Returns the category of the invalid request, and the response to it. Returns undefined for findings about other
 * requests.
 */
function wrongStatusOf(outcome: Outcome): { kind: InvalidKind; response: ResponseParams } | undefined {
  if (outcome.code === 'error-not-provoked') {
    return { kind: kindOf(outcome.params.status, outcome), response: outcome.params }
  }
  if (outcome.code !== 'unexpected-status' && outcome.code !== 'no-response') return undefined
  if (concernsValidRequests(outcome)) return undefined
  const [status = allowsAnyRejection(outcome) ? VALIDATION.status : undefined] = getErrorStatuses(outcome.expected)
  return status === undefined ? undefined : { kind: kindOf(status, outcome), response: startOf(outcome.params) }
}

/** Omits the error of a response with a success status. The target served the request, even if it did not finish. */
function startOf({ actualStatus, ...others }: ResponseParams): ResponseParams {
  return actualStatus >= 200 && actualStatus < 300 ? { actualStatus } : { actualStatus, ...others }
}

/** Returns whether the target may reject the request with any 4xx status. */
function allowsAnyRejection({ expected }: Outcome): boolean {
  if (expected === undefined || !('status' in expected) || 'sdkError' in expected) return false
  return expected.status.includes('4xx')
}

function kindOf(status: number, { difference }: Outcome): InvalidKind {
  switch (status) {
    case 401:
      return KEYS
    case 402:
      return CREDITS
    case 404:
      return difference !== undefined && 'path' in difference ? ENDPOINTS : MODELS
    case 429:
      return RATE_LIMIT
    default:
      return VALIDATION
  }
}

/** Formats the actual statuses in ascending order, e.g. `200` or `200 or 201`. */
function statusesOf(members: readonly CheckFinding[]): string {
  const labels = members.flatMap(({ outcome }) => wrongStatusOf(outcome)?.response.actualStatus ?? [])
  const statuses = labels.length === 0 ? [200] : [...new Set(labels)].toSorted((a, b) => a - b)
  return formatList(statuses.map(String), { last: 'or' })
}

/**
 * Formats the title of findings with several statuses, with the number of each, e.g. `get 500 (12), 200 (3) or 422 (3)
 * instead of 400`. If a status is correct for other requests, such as `400 instead of 404 (2)`, states both.
 */
function mixedTitle(kinds: readonly InvalidKind[], subject: string, members: readonly CheckFinding[]): string {
  const expected = kinds.map(({ status }) => `${status}`)
  const labels = members.flatMap(({ outcome }) => {
    const seen = wrongStatusOf(outcome)
    if (seen === undefined || !kinds.some(({ name }) => name === seen.kind.name)) return []
    const { actualStatus, error } = seen.response
    const label = error === undefined ? String(actualStatus) : formatResponseNoun(formatStatus(seen.response))
    return [expected.includes(label) ? `${label} instead of ${seen.kind.status}` : label]
  })
  const counts = [...Map.groupBy(labels, (label) => label)].toSorted(([, a], [, b]) => b.length - a.length)
  const statuses = counts.map(([label, { length }]) => `${label} (${length})`)
  return labels.some((label) => label.includes(' instead of '))
    ? `${subject} get wrong responses: ${formatList(statuses)}`
    : `${subject} get ${formatList(statuses, { last: 'or' })} instead of ${formatList(expected, { last: 'or' })}`
}
