import type OpenAI from 'openai'
import { type Check, type CheckContext, defineCheck, type Need, type Outcome } from '../engine/check.ts'
import * as expect from '../outcomes/expect.ts'
import type { Sdk } from './sdk/load-sdk.ts'
import { type Testimony, witness } from './sdk/witness.ts'
import { UNKNOWN_MODEL } from './7-errors.ts'
import { costOf, costOfBursts } from './operation.ts'
import { show } from './read.ts'

const UNKNOWN_KEY = 'sk-svc-touchstone-unknown-to-all'

/** A call that is refused, and the class of error that the SDK has for its status. */
interface Refusal {
  readonly status: number
  readonly className: 'BadRequestError' | 'AuthenticationError' | 'APIError' | 'NotFoundError' | 'RateLimitError'
  readonly needs?: readonly Need[]
  readonly calls?: (context: CheckContext) => number
  key?(context: CheckContext): string
  readonly fields?: { readonly model?: string; readonly temperature?: number }
}

const REFUSALS: readonly Refusal[] = [
  { status: 400, className: 'BadRequestError', fields: { temperature: 2.1 } },
  { status: 401, className: 'AuthenticationError', key: () => UNKNOWN_KEY },
  { status: 402, className: 'APIError', needs: ['noCreditsKey'], key: ({ keys }) => keys.noCredits },
  { status: 404, className: 'NotFoundError', fields: { model: UNKNOWN_MODEL } },
  {
    status: 429,
    className: 'RateLimitError',
    needs: ['limitedKey', 'burst'],
    calls: ({ limitedBurst }) => limitedBurst,
    key: ({ keys }) => keys.limited,
  },
]

function ask(client: OpenAI, { models }: CheckContext, fields: Refusal['fields'] = {}): Promise<unknown> {
  const messages = [{ role: 'user' as const, content: 'Say hello.' }]
  return client.chat.completions.create({ model: models.chat, messages, max_tokens: 16, ...fields })
}

/** Says whether the SDK threw the error of the status, with the words of the target. */
function judge({ error, sdk, wire }: Testimony, { status, className }: Refusal): Outcome {
  const expected = `${className} with the status ${status} and the target's message`
  if (!isOfClass(error, sdk, className)) {
    return expect.warned(expected, `the wire showed ${status}; the SDK gave ${nameOf(error)}`, CONSEQUENCE)
  }
  const hasWords = !/^\d+ status code \(no body\)$/.test(error.message)
  if (hasWords) return expect.passed(expected, `${className}: ${error.message}`)
  const text = wire?.text ?? ''
  return expect.warned(expected, `the wire showed ${show(text)}; the SDK shows "${error.message}"`, CONSEQUENCE)
}

const CONSEQUENCE = 'programs built on the openai SDK for node cannot say, or tell, why a call was refused'

function isOfClass(error: Error | undefined, sdk: Sdk, className: Refusal['className']): error is Error {
  return error !== undefined && error instanceof sdk[className]
}

function nameOf(error: Error | undefined): string {
  return error === undefined ? 'no error' : `${error.constructor.name}: ${error.message}`
}

export const sdkErrorChecks: readonly Check[] = REFUSALS.map((refusal) =>
  defineCheck({
    id: `1/sdk-error-${refusal.status}`,
    requirement: '1/sdk-witness',
    title: `the openai SDK throws ${refusal.className} for a ${refusal.status}, with the message`,
    operation: 'chat',
    needs: ['key', 'chatModel', ...(refusal.needs ?? [])],
    group: 'sdk',
    ...(refusal.calls === undefined ? { cost: costOf('chat', 1) } : costOfBursts(1)),
    ...(refusal.needs === undefined ? {} : { alone: true as const }),
    async run(context) {
      const count = refusal.calls?.(context) ?? 1
      const call = () => witness(context, (client) => ask(client, context, refusal.fields), refusal.key?.(context))
      const seen = await Promise.all(Array.from({ length: count }, call))
      const refused = seen.find(({ wire }) => wire?.error === undefined && wire?.status === refusal.status)
      if (refused !== undefined) return judge(refused, refusal)
      const [first] = seen
      const answer = first?.wire === undefined ? 'sent nothing' : `got: the target ${expect.answered(first.wire)}`
      return expect.notTestable(`there was no ${refusal.status} to look at; the SDK ${answer}`)
    },
  }),
)
