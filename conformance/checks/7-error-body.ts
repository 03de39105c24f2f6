import type { ErrorStatus } from '../../contract/facts.ts'
import { defineCheck } from '../engine/check.ts'
import type { Check, CheckContext, Need, Outcome } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { UNKNOWN_MODEL } from './7-errors.ts'
import { costOf } from './operation.ts'
import { at, isObject, mediaType, show } from './read.ts'

const EXPECTED = '{"error": {"message": string, "type": string, "param", "code"}} as application/json'
const CONSEQUENCE =
  'the openai SDK for node shows "status code (no body)" instead of the message, and the Vercel AI SDK needs error.message as a string'

interface Provoked {
  readonly status: Exclude<ErrorStatus, 429 | 500>
  readonly needs: readonly Need[]
  ask(context: CheckContext): Promise<Exchange>
}

const PROVOKED: readonly Provoked[] = [
  { status: 400, needs: ['key', 'chatModel'], ask: ({ chat }) => chat({ temperature: 2.1 }) },
  { status: 401, needs: ['chatModel'], ask: ({ chat }) => chat({}, { key: null }) },
  { status: 402, needs: ['noCreditsKey', 'chatModel'], ask: ({ chat, keys }) => chat({}, { key: keys.noCredits }) },
  { status: 404, needs: ['key', 'chatModel'], ask: ({ chat }) => chat({ model: UNKNOWN_MODEL }) },
]

/** What differs from the error body that client SDKs read. `param` and `code` have to be there, and may be null. */
export function errorBodyDeviation(answer: Exchange): string | undefined {
  if (mediaType(answer) !== 'application/json') return `the media type is "${mediaType(answer)}"`
  const error = at(answer.json, 'error')
  if (!isObject(error)) return `error is ${show(error)}`
  const notText = ['message', 'type'].find((name) => typeof at(error, name) !== 'string')
  if (notText !== undefined) return `error.${notText} is ${show(at(error, notText))}`
  const missing = ['param', 'code'].find((name) => at(error, name) === undefined)
  return missing === undefined ? undefined : `error.${missing} is missing`
}

/** The outcome for an error that was provoked; without it there is no body to judge. */
export function judgeErrorBody(answer: Exchange, status: ErrorStatus): Outcome {
  if (answer.error !== undefined || answer.status !== status) {
    return expect.notTestable(`no ${status} to look at: the target ${expect.answered(answer)}`)
  }
  const deviation = errorBodyDeviation(answer)
  return deviation === undefined
    ? expect.passed(EXPECTED, 'as clients expect it')
    : expect.warned(EXPECTED, deviation, CONSEQUENCE)
}

const bodyChecks = PROVOKED.map(({ status, needs, ask }) =>
  defineCheck({
    id: `7/error-body-${status}`,
    requirement: '7/error-body',
    title: `the body of a ${status} is the one that client SDKs read`,
    operation: 'chat',
    needs,
    cost: costOf('chat', 1),
    // One at a time on the key without credits: in parallel it could meet a rate limit instead.
    ...(status === 402 ? { alone: true as const } : {}),
    run: async (context) => judgeErrorBody(await ask(context), status),
  }),
)

export const errorShape = defineCheck({
  id: '7/error-shape',
  requirement: '7/error-shape',
  title: 'the shape of an error body and its code strings',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 1),
  async run({ chat }) {
    const answer = await chat({ model: UNKNOWN_MODEL })
    return expect.observed(answer, ({ json, status }) => {
      if (!isObject(json)) return `a ${status} without a JSON object`
      const error = at(json, 'error')
      return `a ${status} with the members ${members(json)}; error: ${members(error)}; code ${show(at(error, 'code'))}`
    })
  },
})

function members(value: unknown): string {
  return typeof value === 'object' && value !== null ? Object.keys(value).join(', ') : show(value)
}

export const errorBodyChecks: readonly Check[] = [...bodyChecks, errorShape]
