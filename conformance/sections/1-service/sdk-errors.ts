import type OpenAI from 'openai'
import { type Check, type CheckContext, defineCheck, type Prerequisite, calculateMaxCost } from '../../engine/check.ts'
import type { KeyRole } from '../../requests/api-request.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import { UNKNOWN_MODEL } from '../7-errors/errors.ts'
import { calculateMaxBurstCost } from '../shared/operation.ts'
import { callSdk, type SdkResult } from './call-sdk.ts'
import type { OpenAiSdk } from './load-sdk.ts'

const UNKNOWN_KEY = 'sk-svc-touchstone-unknown-to-all'

/** An SDK call that gets an error response, with the exception class that the SDK defines for its status. */
interface ErrorCall {
  readonly id: string
  readonly status: number
  readonly className: 'BadRequestError' | 'AuthenticationError' | 'APIError' | 'NotFoundError' | 'RateLimitError'
  readonly needs?: readonly Prerequisite[]
  readonly calls?: (context: CheckContext) => number
  readonly key?: KeyRole | { readonly invalid: string }
  readonly fields?: { readonly model?: string; readonly temperature?: number }
}

const ERROR_CALLS: readonly ErrorCall[] = [
  { id: '1/sdk-error-400', status: 400, className: 'BadRequestError', fields: { temperature: 2.1 } },
  { id: '1/sdk-error-401', status: 401, className: 'AuthenticationError', key: { invalid: UNKNOWN_KEY } },
  { id: '1/sdk-error-402', status: 402, className: 'APIError', needs: ['no-credits'], key: 'no-credits' },
  { id: '1/sdk-error-404', status: 404, className: 'NotFoundError', fields: { model: UNKNOWN_MODEL } },
  {
    id: '1/sdk-error-429',
    status: 429,
    className: 'RateLimitError',
    needs: ['limited'],
    calls: ({ limitedBurst }) => limitedBurst,
    key: 'limited',
  },
]

function chat(
  client: OpenAI,
  { models, smallFields }: CheckContext,
  fields: ErrorCall['fields'] = {},
): Promise<unknown> {
  const messages = [{ role: 'user' as const, content: 'Say hello.' }]
  return client.chat.completions.create({ model: models.chat, messages, ...smallFields, ...fields })
}

const CONSEQUENCE = 'programs built on the openai SDK for Node.js cannot handle the error, or show the reason for it'

/** Expects the exception class for the status, with a message other than the SDK's own for responses without one. */
function expectError({ error, sdk, response }: SdkResult, { status, className }: ErrorCall): Outcome {
  const expected: Expectation = { sdkError: className, status }
  if (!isOfClass(error, sdk, className)) {
    const params = { actualStatus: status, ...(error === undefined ? {} : thrown(error)) }
    return expect.warn(expected, { code: 'sdk-error-differs', params }, CONSEQUENCE)
  }
  const hasMessage = !/^\d+ status code \(no body\)$/.test(error.message)
  if (hasMessage) return expect.pass(expected, { kind: 'sdk-error', error: className, message: error.message })
  const params = { actualStatus: status, ...thrown(error), body: createExcerpt(response?.text ?? '') }
  return expect.warn(expected, { code: 'sdk-error-differs', params }, CONSEQUENCE)
}

function isOfClass(error: Error | undefined, sdk: OpenAiSdk, className: ErrorCall['className']): error is Error {
  return error !== undefined && error instanceof sdk[className]
}

function thrown(error: Error): { readonly error: string; readonly message: string } {
  return { error: error.constructor.name, message: error.message }
}

export const sdkErrorChecks: readonly Check[] = ERROR_CALLS.map((call) =>
  defineCheck({
    id: call.id,
    requirement: '1/sdk-witness',
    title: `the openai SDK throws ${call.className} for a ${call.status}, with the message`,
    operation: 'chat',
    needs: ['funded', 'chatModel', ...(call.needs ?? [])],
    group: 'sdk',
    ...(call.calls === undefined ? { cost: calculateMaxCost('chat', 1) } : calculateMaxBurstCost(1)),
    ...(call.needs === undefined ? {} : { alone: true as const }),
    async run(context) {
      const count = call.calls?.(context) ?? 1
      const send = () => callSdk(context, (client) => chat(client, context, call.fields), call.key)
      const results = await Promise.all(Array.from({ length: count }, send))
      const provoked = results.find(({ response }) => response?.error === undefined && response?.status === call.status)
      if (provoked !== undefined) return expectError(provoked, call)
      const [first] = results
      if (first?.response === undefined) {
        return expect.markNotTestable({ code: 'sdk-sent-nothing', params: { message: first?.error?.message ?? '' } })
      }
      const params = { status: call.status, ...expect.getResponseParams(first.response) }
      return expect.markNotTestable({ code: 'error-not-provoked', params })
    },
  }),
)
