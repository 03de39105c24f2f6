import type { ErrorStatus } from '../../contract/facts.ts'
import { type Check, type CheckContext, defineCheck, type Need } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import type { Deviation, Expectation, Outcome } from '../outcomes/outcome.ts'
import type { Seen } from '../outcomes/seen.ts'
import { toShown } from '../outcomes/shown.ts'
import { UNKNOWN_MODEL } from './7-errors.ts'
import { firstOf, mediaTypeDeviation, typeDeviation } from './fields.ts'
import { costOf } from './operation.ts'
import { at } from './read.ts'

const ERROR_BODY: Expectation = { rule: 'error-body' }
const CONSEQUENCE =
  'the openai SDK for node shows "status code (no body)" instead of the message, and the Vercel AI SDK needs error.message as a string'

interface ProvokedError {
  readonly status: Exclude<ErrorStatus, 429 | 500>
  readonly needs: readonly Need[]
  request(context: CheckContext): Promise<Exchange>
}

const PROVOKED_ERRORS: readonly ProvokedError[] = [
  { status: 400, needs: ['key', 'chatModel'], request: ({ chat }) => chat({ temperature: 2.1 }) },
  { status: 401, needs: ['chatModel'], request: ({ chat }) => chat({}, { key: 'none' }) },
  { status: 402, needs: ['noCreditsKey', 'chatModel'], request: ({ chat }) => chat({}, { key: 'no-credits' }) },
  { status: 404, needs: ['key', 'chatModel'], request: ({ chat }) => chat({ model: UNKNOWN_MODEL }) },
]

/**
 * Finds the first deviation from the error body that client SDKs read. `param` and `code` must exist, and may be null.
 */
export function findBodyDeviation(response: Exchange): Deviation | undefined {
  const { json } = response
  return (
    mediaTypeDeviation(response, 'application/json') ??
    typeDeviation(json, ['error'], 'object') ??
    firstOf(['message', 'type'].map((name) => typeDeviation(json, ['error', name], 'string'))) ??
    firstOf(['param', 'code'].map((name) => absence(json, name)))
  )
}

function absence(json: unknown, name: string): Deviation | undefined {
  return at(json, 'error', name) === undefined
    ? { code: 'missing-field', params: { path: `error.${name}` } }
    : undefined
}

/** Expects the error body that client SDKs read, if the error response could be provoked. */
export function expectErrorBody(response: Exchange, status: ErrorStatus): Outcome {
  if (response.error !== undefined || response.status !== status) {
    return expect.notTestable({ code: 'error-not-provoked', params: { status, ...expect.paramsOf(response) } })
  }
  const deviation = findBodyDeviation(response)
  return deviation === undefined ? expect.passed(ERROR_BODY) : expect.warned(ERROR_BODY, deviation, CONSEQUENCE)
}

const bodyChecks = PROVOKED_ERRORS.map(({ status, needs, request }) =>
  defineCheck({
    id: `7/error-body-${status}`,
    requirement: '7/error-body',
    title: `sends the error body of a ${status} in the shape that client SDKs read`,
    operation: 'chat',
    needs,
    cost: costOf('chat', 1),
    // Uses the no-credits key for one request at a time: parallel requests could exceed a rate limit.
    ...(status === 402 ? { alone: true as const } : {}),
    run: async (context) => expectErrorBody(await request(context), status),
  }),
)

export const errorShape = defineCheck({
  id: '7/error-shape',
  requirement: '7/error-shape',
  title: 'the shape of the error body, and its code strings',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 1),
  async run({ chat }) {
    const response = await chat({ model: UNKNOWN_MODEL })
    return expect.observed(response, {
      see: ({ json, status, error }) => (error === undefined ? seeErrorBody(json, status) : undefined),
    })
  },
})

function seeErrorBody(json: unknown, actualStatus: number): Seen {
  const members = membersOf(json)
  if (members === null || Array.isArray(json)) return { kind: 'error-body', actualStatus, members: null }
  const error = at(json, 'error')
  const code = at(error, 'code')
  return {
    kind: 'error-body',
    actualStatus,
    members,
    ...(error === undefined ? {} : { error: membersOf(error) ?? { value: toShown(error) } }),
    ...(code === undefined ? {} : { code: toShown(code) }),
  }
}

function membersOf(value: unknown): readonly string[] | null {
  return typeof value === 'object' && value !== null ? Object.keys(value) : null
}

export const errorBodyChecks: readonly Check[] = [...bodyChecks, errorShape]
