import { OPERATION_NAMES, OPERATIONS, type Operation } from '../../contract/facts.ts'
import type { CauseEntry, CheckEntry } from '../../reports/conformance-document.ts'
import { formatLibraryOption, type OptionNameFormatter } from '../options/table-options.ts'
import type { ExpectationRule } from './expectations.ts'
import { formatList, HARMS, type Where } from './define.ts'
import { getFindingEntry } from './families.ts'
import type { Outcome } from './outcome.ts'
import type { RequestDifference } from './request-difference.ts'
import { describeDifference, describeServedVariant } from './responses.ts'
import { describeFinding } from './sentences.ts'

export interface CheckFinding {
  readonly entry: CheckEntry
  readonly operation: Operation
  readonly outcome: Outcome
}

/**
 * Groups the findings of a run by cause. Findings have one cause if they have the same code with the same essential
 * parameters (`groupBy`). If they concern a status, they must also expect the same status, and their requests must differ
 * from the plain request in the same way. The operation, the name of the parameter and the name of a wrong field make
 * no difference: the title lists them. Only causes of wrong fields concern one operation each. A check that is not
 * testable because of a failed check has the cause of that check.
 *
 * Sorts the causes by verdict (failures, errors, warnings, checks that are not testable), then by what clients suffer,
 * then by the number of failures.
 */
export function findCauses(
  results: readonly CheckFinding[],
  name: OptionNameFormatter = formatLibraryOption,
): CauseEntry[] {
  const open = results.filter(
    ({ entry }) => RANKS.includes(entry.verdict) && (entry.knownFailure ?? entry.accepted) === undefined,
  )
  const byId = new Map(open.map((finding) => [finding.entry.id, finding]))
  const reported = (finding: CheckFinding): CheckFinding => byId.get(finding.entry.because ?? '') ?? finding
  const groups = [...Map.groupBy(open, (finding) => JSON.stringify(listKeys(reported(finding)))).values()]
  const ranked = groups.map((members) => ({ members, rank: rankOf(members) }))
  const sorted = ranked.toSorted((a, b) => {
    const differing = a.rank.findIndex((value, index) => value !== b.rank[index])
    return (a.rank[differing] ?? 0) - (b.rank[differing] ?? 0)
  })
  return sorted.flatMap(({ members }) => describeCause(members, name))
}

/** Verdicts of checks that have a cause, most severe first. */
const RANKS: readonly CheckEntry['verdict'][] = ['fail', 'error', 'warn', 'not-testable']

function listKeys({ entry, operation, outcome }: CheckFinding): readonly unknown[] {
  const { code, params } = outcome
  const isOpen = entry.verdict === 'not-testable'
  const group = getFindingEntry({ code, params }).groupBy?.(params) ?? []
  if (isOpen) return [code, group]
  const status = mainStatusOf(outcome)
  const fieldOf = pathOf(outcome) === undefined ? [] : [operation]
  return [code, group, nounOf(outcome), ...fieldOf, ...(status === undefined ? [] : [status, kindOf(outcome)])]
}

/** Returns the ID of the cause of a finding, such as `unexpected-status:422:400:invalid`, without sentences. */
export function identifyCause(finding: CheckFinding): string {
  return listLeaves(listKeys(finding)).join(':')
}

function listLeaves(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(listLeaves)
  return value === undefined || value === null || !/^[\w./[\]-]+$/.test(String(value)) ? [] : [String(value)]
}

/** Returns the rank of a cause: its verdict, its harm, its failures and its checks. A lower rank comes first. */
function rankOf(members: readonly CheckFinding[]): readonly number[] {
  const [worst] = bySeverity(members)
  if (worst === undefined) return []
  const { harm = 'form' } = getFindingEntry(worst.outcome)
  const name = typeof harm === 'function' ? harm(worst.outcome.params) : harm
  const failures = members.filter(({ entry }) => entry.verdict === 'fail').length
  return [RANKS.indexOf(worst.entry.verdict), HARMS.indexOf(name), -failures, -members.length]
}

function bySeverity(members: readonly CheckFinding[]): CheckFinding[] {
  return members.toSorted((a, b) => RANKS.indexOf(a.entry.verdict) - RANKS.indexOf(b.entry.verdict))
}

function describeCause(members: readonly CheckFinding[], name: OptionNameFormatter): CauseEntry[] {
  const [first] = bySeverity(members)
  if (first === undefined) return []
  const { outcome } = first
  const reproduce = chooseCommand(members)
  const remedy = getFindingEntry(outcome).remedy?.(outcome.params)
  return [
    {
      id: identifyCause(first),
      title: titleOf(
        first,
        members.filter(({ entry }) => entry.because === undefined),
        name,
      ),
      checks: members.map(({ entry }) => entry.id),
      ...(reproduce === undefined ? {} : { reproduce }),
      ...(remedy === undefined ? {} : { remedy }),
    },
  ]
}

function titleOf(
  { entry, outcome }: CheckFinding,
  members: readonly CheckFinding[],
  name: OptionNameFormatter,
): string {
  const sentence = describeFinding(outcome, name)
  // Later lines contain advice.
  const [start = ''] = sentence.split('\n')
  if (entry.verdict === 'not-testable' || entry.verdict === 'error')
    return `${start.charAt(0).toUpperCase()}${start.slice(1).replace(/\.$/, '')}`
  const where = describeWhere(members)
  return getFindingEntry(outcome).title?.(outcome.params, where) ?? `${where.responses}: ${sentence}`
}

/** Returns the shortest command of the most severe findings that have one. Prefers a command that sends a body. */
function chooseCommand(members: readonly CheckFinding[]): string | undefined {
  const [best] = members
    .flatMap(({ entry: { verdict, reproduce } }) => (reproduce === undefined ? [] : [{ verdict, reproduce }]))
    .toSorted(
      (a, b) =>
        RANKS.indexOf(a.verdict) - RANKS.indexOf(b.verdict) ||
        Number(lacksBody(a.reproduce)) - Number(lacksBody(b.reproduce)) ||
        a.reproduce.length - b.reproduce.length,
    )
  return best?.reproduce
}

/** Returns whether a command sends a POST without a body, which shows less than a request with one. */
function lacksBody(command: string): boolean {
  return / -X POST /.test(command) && !/ (?:--data-(?:raw|binary) (?!'')|--form|-F )/.test(command)
}

function describeWhere(members: readonly CheckFinding[]): Where {
  const operations = OPERATION_NAMES.filter((one) => members.some((member) => operationsOf(member).includes(one)))
  const isEvery = operations.length === OPERATION_NAMES.length
  const known = isEvery ? 'every endpoint' : formatList(operations.map(describeEndpoint))
  const place = operations.length === 0 ? 'unknown endpoints' : known
  const results = formatList(operations.map((one, index) => (index === 0 ? RESULTS[one] : RESULTS[one].toLowerCase())))
  const models = new Set(members.map(({ outcome: { difference } }) => modelOf(difference)))
  const [model] = models.size === 1 ? models : []
  const [first] = members
  const noun = first === undefined ? undefined : nounOf(first.outcome)
  return {
    requests: `${describeRequests(members, place)}${model === undefined ? '' : ` for \`${model}\``}`,
    responses:
      noun !== undefined ? `${noun} of ${place}` : `${results}${model === undefined ? '' : ` of \`${model}\``}`,
    fields: formatList(
      [...new Set(members.flatMap(({ outcome }) => pathOf(outcome) ?? []))].map((path) => `\`${path}\``),
    ),
    status: first === undefined ? undefined : statusOf(first.outcome),
    isParallel: first?.outcome.parallel !== undefined,
  }
}

/** Describes the requests of a cause, e.g. `Invalid requests to … (temperature, top_p)`. */
function describeRequests(members: readonly CheckFinding[], place: string): string {
  const [first] = members
  const kind = first === undefined ? 'plain' : kindOf(first.outcome)
  const differences = members.flatMap(({ outcome: { difference } }) => difference ?? [])
  const [difference, ...others] = new Map(differences.map((one) => [describeDifference(one), one])).values()
  if (difference === undefined || UNLISTED.has(kind)) return `${SUBJECTS[kind]} to ${place}`
  if (kind === 'endpoint') {
    const endpoints = [difference, ...others].map((one) => `\`${describeDifference(one)}\``)
    return `${SUBJECTS[kind]} (${formatList([...new Set(endpoints)])})`
  }
  if (others.length === 0) return `Requests to ${place} ${describeServedVariant(difference)}`
  const names = [difference, ...others].map((one) =>
    'parameter' in one ? `\`${one.parameter}\`` : describeDifference(one),
  )
  return `${SUBJECTS[kind]} to ${place} (${formatList([...new Set(names)])})`
}

/** Kinds of differences between a request and the plain request, as subjects of titles. */
const SUBJECTS = {
  plain: 'Requests',
  invalid: 'Invalid requests',
  valid: 'Valid requests',
  unusual: 'Unusual requests',
  'unknown-model': 'Requests with an unknown model',
  credential: 'Requests without a valid bearer token',
  account: 'Requests of an account without credits',
  endpoint: 'Requests to another endpoint',
} as const

type Kind = keyof typeof SUBJECTS

/** Kinds whose subject describes the difference in full. */
const UNLISTED: ReadonlySet<Kind> = new Set(['plain', 'unknown-model', 'account'])

function kindOf(outcome: Outcome): Kind {
  const { difference } = outcome
  if (difference === undefined || 'of' in difference || 'parallel' in difference) return 'plain'
  if ('credential' in difference) return 'credential'
  if ('account' in difference) return 'account'
  if ('path' in difference) return 'endpoint'
  const status = mainStatusOf(outcome)
  if (status === undefined || status === '2xx') return 'valid'
  if (status.includes('2xx')) return 'unusual'
  return status === '404' && 'parameter' in difference ? 'unknown-model' : 'invalid'
}

function statusOf({ expected }: Outcome): string | undefined {
  if (expected !== undefined && 'declared' in expected) return expected.declared
  if (expected === undefined || !('status' in expected) || 'sdkError' in expected) return undefined
  return formatList(expected.status.map(String), 'or')
}

/** Returns the first of several error statuses that a check allows, such as 400 of `400 or 404`. */
function mainStatusOf(outcome: Outcome): string | undefined {
  const { expected } = outcome
  const isError =
    expected !== undefined && 'status' in expected && !('sdkError' in expected) && !expected.status.includes('2xx')
  return isError ? String(expected.status[0]) : statusOf(outcome)
}

/** Nouns for error responses, by the rule that a finding about them violates. */
const ERROR_RESPONSES: Readonly<Partial<Record<ExpectationRule, string>>> = {
  'error-body': 'Error bodies',
  'retry-after': 'Responses with status 429',
}

/** Returns the noun for error responses. Undefined if the finding does not concern an error response. */
function nounOf({ expected }: Outcome): string | undefined {
  if (expected !== undefined && 'errorField' in expected) return ERROR_RESPONSES['error-body']
  return expected !== undefined && 'rule' in expected ? ERROR_RESPONSES[expected.rule] : undefined
}

/** Returns the path of the field of a finding, such as `choices[].text`, or `usage` for each of its counts. */
function pathOf({ params }: Outcome): string | undefined {
  if (!('path' in params) || typeof params.path !== 'string') return undefined
  return params.path.replaceAll(/\[\d+\]/g, '[]').replace(/^usage\..*/, 'usage')
}

/** Returns the model of a finding that concerns only responses of one model. */
function modelOf(difference: RequestDifference | undefined): string | undefined {
  return difference !== undefined && 'of' in difference ? difference.model : undefined
}

function operationsOf({ operation, outcome: { difference } }: CheckFinding): readonly Operation[] {
  return (difference !== undefined && 'of' in difference ? difference.operations : undefined) ?? [operation]
}

const RESULTS: Readonly<Record<Operation, string>> = {
  models: 'Lists of models',
  chat: 'Chat completions',
  images: 'Image results',
  transcriptions: 'Transcriptions',
  speech: 'Speech responses',
}

function describeEndpoint(operation: Operation): string {
  const { method, path } = OPERATIONS[operation]
  return `\`${method} ${path}\``
}
