import type { Operation } from '../../../contract/facts.ts'
import { parseJson } from '../../http/decode-body.ts'
import type { CheckFinding, PossibleCause } from './finding.ts'
import type { RunFacts } from './run-facts.ts'
import { describeEndpoint, formatList, getMember, listOperations } from './title-parts.ts'

/** Creates the possible cause that responses have a success status, but contain no result of the operation. */
export function createNoResultCause(operation: Operation): PossibleCause {
  return { key: `${KEY} ${operation}`, title: titleOf, families: [{ key: KEY, title: titleOf }] }
}

const KEY = 'no result'

/** Minimum number of operations without results that count as having one cause, such as a placeholder server. */
const MIN_OPERATIONS = 3

/** Returns the possible cause that several operations have no results, if it is possible for one of them. */
export function findCommonNoResultCause(
  causes: readonly PossibleCause[],
  { withoutResult }: RunFacts,
): PossibleCause[] {
  const isPossible = causes.some(({ families = [] }) => families.some(({ key }) => key === KEY))
  return isPossible && withoutResult.size >= MIN_OPERATIONS ? [{ key: KEY, title: titleOf }] : []
}

function titleOf(members: readonly CheckFinding[]): string {
  const bodies = members.flatMap(listSuccessfulBodies)
  const content = bodies.some(isInvalidJson)
    ? 'a body that is not valid JSON'
    : bodies.length > 0 && bodies.every(isErrorBody)
      ? 'an error in the body'
      : operationsLack(members, 'transcriptions')
        ? 'no `text`'
        : 'no result'
  return `Responses of ${formatList(listOperations(members).map(describeEndpoint))} have a 2xx status and ${content}`
}

/** Returns whether the last success of the check contains a member that only results of the operation have. */
export function hasResult({ entry, operation }: CheckFinding): boolean {
  const last = entry.evidence?.findLast(({ response }) => Math.floor((response?.status ?? 0) / 100) === 2)
  const name = RESULT_MEMBERS[operation]
  return (
    (last?.response?.events ?? []).length > 0 || getMember(parseJson(last?.response?.body ?? ''), name) !== undefined
  )
}

const RESULT_MEMBERS: Readonly<Record<Operation, string>> = {
  models: 'data',
  chat: 'choices',
  images: 'data',
  transcriptions: 'text',
  speech: 'audio',
}

/** Returns the complete bodies of the responses without a result among the evidence: those with a 2xx status. */
function listSuccessfulBodies({ entry }: CheckFinding): string[] {
  return (entry.evidence ?? []).flatMap(({ response, truncated }) =>
    response !== null && !truncated && response.status >= 200 && response.status < 300 && response.events === undefined
      ? [response.body]
      : [],
  )
}

function operationsLack(members: readonly CheckFinding[], operation: Operation): boolean {
  return listOperations(members).every((one) => one === operation)
}

function isInvalidJson(body: string): boolean {
  return /^\s*[[{]/.test(body) && parseJson(body) === undefined
}

function isErrorBody(body: string): boolean {
  const error = getMember(parseJson(body), 'error')
  return error !== undefined && error !== null && error !== ''
}
