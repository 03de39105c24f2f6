import type { Check, RequestHelpers } from '../../engine/check.ts'
import { parseJson } from '../../http/decode-body.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { Deviation } from '../../findings/families.ts'
import type { ExpectationRule } from '../../findings/expectations.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import { getMember, isObject } from '../shared/response-access.ts'
import {
  requestJsonObject,
  requestSchemaOutput,
  defineAgentCheck,
  evaluateFeature,
  WEATHER_SCHEMA,
} from './agent-requests.ts'
import { findSchemaDeviation } from './object-schema.ts'

/* These checks require that the text of a structured response is JSON and nothing else. */

interface FormatConvention {
  readonly id: string
  readonly title: string
  readonly tried: string
  readonly rule: ExpectationRule
  readonly consequence: string
  send(requests: RequestHelpers): Promise<Exchange>
  find(value: unknown): Deviation | undefined
}

const FORMATS: readonly FormatConvention[] = [
  {
    id: '4.2/response-format-json-schema',
    title: 'returns JSON that conforms to the schema for response_format json_schema',
    tried: 'response_format json_schema',
    rule: 'json-of-schema',
    consequence:
      'the method parse of the openai SDK for Node.js throws if the text is not JSON; the Vercel AI SDK (NoObjectGeneratedError) and LangChain also throw if the JSON does not conform to the schema',
    send: requestSchemaOutput,
    find: (value) => findSchemaDeviation(value, WEATHER_SCHEMA, 'content'),
  },
  {
    id: '4.2/response-format-json-object',
    title: 'returns a JSON object for response_format json_object',
    tried: 'response_format json_object',
    rule: 'json-object',
    consequence: 'generateObject of the Vercel AI SDK throws NoObjectGeneratedError',
    send: requestJsonObject,
    find: (value) =>
      isObject(value)
        ? undefined
        : { code: 'structured-output-malformed', params: { problem: 'not-an-object', actual: createExcerpt(value) } },
  },
]

const CODE_FENCE = /^\s*```\w*\s([\s\S]*)```\s*$/

function getText(response: Exchange): unknown {
  return getMember(response.json, 'choices', 0, 'message', 'content')
}

/** Parses a text as JSON, with or without a code fence. Returns undefined for other text. */
function parseLoosely(text: unknown): { readonly value: unknown; readonly isFenced: boolean } | undefined {
  if (typeof text !== 'string') return undefined
  const value = parseJson(text)
  if (value !== undefined) return { value, isFenced: false }
  const fenced = parseJson(CODE_FENCE.exec(text)?.[1] ?? '')
  return fenced === undefined ? undefined : { value: fenced, isFenced: true }
}

export const structuredOutputChecks: readonly Check[] = FORMATS.map(
  ({ id, title, tried, rule, consequence, send, find }) =>
    defineAgentCheck({
      id,
      requirement: '4.2/response-format',
      title,
      requests: 1,
      async run({ shared }) {
        return evaluateFeature(await send(shared), {
          tried,
          expected: { rule },
          consequence,
          ignored: (response) => (parseLoosely(getText(response)) === undefined ? 'no-json' : undefined),
          find: (response) => {
            const text = getText(response)
            const parsed = parseLoosely(text)
            return parsed?.isFenced === true
              ? { code: 'structured-output-malformed', params: { problem: 'code-fence', actual: createExcerpt(text) } }
              : find(parsed?.value)
          },
        })
      },
    }),
)
