import type { Exchange } from '../../http/exchange.ts'
import { type Check, defineCheck } from '../../engine/check.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'

/** A lawful form of a stream that some client libraries cannot read, as measured with these versions. */
interface UnreadForm {
  /** The clients cannot read a stream that has all of these properties. */
  readonly properties: readonly FormProperty[]
  readonly clients: readonly string[]
  readonly result: string
}

/** Properties of the frames of a stream, by the emulator option with which the clients were measured. */
const PROPERTIES = {
  'line-ends=cr': ({ text }) => /\r(?!\n)/.test(text),
  'event-fields=id': ({ events }) => events.some(({ id }) => id !== undefined),
  'keep-alive-comments=each': ({ text }) => /^:/m.test(text),
} as const satisfies Readonly<Record<string, (response: Exchange) => boolean>>

export type FormProperty = keyof typeof PROPERTIES

/** Forms that clients cannot read, as the measurements in `tests/clients/unread-forms.test.ts` show. */
export const UNREAD_FORMS: readonly UnreadForm[] = [
  {
    properties: ['line-ends=cr'],
    clients: ['openai (Go) 3.96.0'],
    result: 'an empty stream, without an error',
  },
  {
    properties: ['event-fields=id', 'keep-alive-comments=each'],
    clients: [
      'openai (Python) 3.54.0',
      'openai (Python) 2 2.54.0',
      'LangChain (Python) 1.7.3',
      'OpenAI Agents SDK (Python) 0.24.0',
      'Pydantic AI 2.68.0',
      'LiteLLM 1.106.2',
      'instructor 1.17.0',
    ],
    result: 'a JSON error, because an empty event follows each comment',
  },
]

const READABLE: Expectation = { rule: 'readable-frames' }

export function findUnreadForm(response: Exchange): UnreadForm | undefined {
  return UNREAD_FORMS.find(({ properties }) => properties.every((name) => PROPERTIES[name](response)))
}

const unreadFormCheck = defineCheck({
  id: '4.2/frame-form',
  requirement: '4.2/stream-habits',
  title: 'sends the frames of a stream in a form that the tested client libraries can read',
  operation: 'chat',
  async run({ shared }) {
    const response = await shared.chat({ stream: true })
    if (expect.isServed(response) && response.events.length === 0) return expect.markNoEvidence('recorded-stream')
    const form = expect.isServed(response) ? findUnreadForm(response) : undefined
    const deviation = { code: 'unread-form', params: { properties: form?.properties ?? [] } } as const
    const consequence = form === undefined ? '' : `${form.clients.join(', ')}: ${form.result}`
    return expect.checkConvention(response, READABLE, () => (form === undefined ? undefined : deviation), consequence)
  },
})

export const unreadFormChecks: readonly Check[] = [unreadFormCheck]
