import { createParser } from 'eventsource-parser'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { createSeededRandom } from '../state/seeded-random.ts'
import { createForms, createPauses, type Form } from './support/forms.ts'
import { startEmulator, type Emulator } from '../start-emulator.ts'
import { callControl, sendChat } from './support/requests.ts'

/** Each option alone, and random combinations. */
const FORMS = createForms(process.env['TOUCHSTONE_LONG'] === '1' ? 200 : 40)
/** Limits that end inside the reasoning, inside the text, and after the text. */
const MAX_TOKENS = [3, 60, 400]
const UNITS_PER_TOKEN = 20

interface Message {
  readonly content: string
  readonly reasoning: string
  readonly usage: unknown
}

/** Joins the deltas of a stream, with a parser that the emulator does not use. */
function readStream(text: string): Message {
  let content = ''
  let reasoning = ''
  let usage: unknown
  const onEvent = ({ data }: { data: string }) => {
    if (data === '[DONE]') return
    const chunk = JSON.parse(data)
    const { delta } = chunk.choices[0] ?? {}
    content += delta?.content ?? ''
    reasoning += delta?.reasoning_content ?? delta?.reasoning ?? ''
    usage = chunk.usage ?? usage
  }
  const parser = createParser({ onEvent })
  parser.feed(`${text}\n`) // After a final CR, the parser waits for LF.
  return { content, reasoning, usage }
}

async function exchange(emulator: Emulator, { name }: Form, fields: object) {
  const { key } = emulator.createAccount({ credits: '100' }) // A new account has no earlier requests.
  const messages = [{ role: 'user', content: `form ${name}.` }]
  const response = await sendChat(emulator, { model: 'o3-mini', messages, ...fields }, { key })
  const text = await response.text()
  return { text, charged: emulator.balance(key)?.chargedUnits ?? NaN }
}

async function startWithForms(fastPath: 'on' | 'off'): Promise<Emulator> {
  const emulator = await startEmulator({ fastPath, frozenAtUnixSeconds: 1_700_000_000 })
  emulator.fixtures.add(
    FORMS.map((form) => {
      const { name, options } = form
      return { message: `form ${name}.`, generated: true as const, options, ...createPauses(form) }
    }),
  )
  return emulator
}

describe.each(['on', 'off'] as const)('with the fast path %s', (fastPath) => {
  test('a stream of any form contains the message, the usage and the charge of the response without streaming', async () => {
    await using emulator = await startWithForms(fastPath)
    for (const [index, form] of FORMS.filter(({ options }) => options['chunk-shape'] !== 'text').entries()) {
      const fields = { max_tokens: MAX_TOKENS[index % 3] }
      const whole = await exchange(emulator, form, fields)
      const { choices, usage } = JSON.parse(whole.text)
      const { content, reasoning_content: thought, reasoning = thought ?? '' } = choices[0].message
      const include = { stream: true, stream_options: { include_usage: true } }
      const streamed = await exchange(emulator, form, { ...fields, ...include })
      const hasUsage = form.options['stream-usage'] !== 'never'
      expect({ form, ...readStream(streamed.text) }).toEqual({
        form,
        content,
        reasoning,
        usage: hasUsage ? usage : undefined,
      })
      expect([whole.charged, streamed.charged]).toEqual(Array(2).fill(usage.total_tokens * 2 * UNITS_PER_TOKEN))
      if (form.options.reasoning === 'hidden')
        expect(usage.completion_tokens_details.reasoning_tokens).toBeGreaterThan(0)
    }
    expect((await callControl(emulator, '/invariant')).json).toMatchObject({ holds: true })
  })
})

test('the same seed produces the same bytes in both HTTP layers, in any form', async () => {
  await using fast = await startWithForms('on')
  await using fastify = await startWithForms('off')
  // The number of heartbeats depends on the real clock.
  for (const form of FORMS.filter(({ options }) => options.heartbeat === undefined)) {
    const [one, other] = await Promise.all(
      [fast, fastify].map((emulator) => exchange(emulator, form, { stream: true, max_tokens: 60 })),
    )
    expect(one?.text).toBe(other?.text)
  }
})

test('an aborted stream of any form leaves no hold, and an exact ledger', async () => {
  await using emulator = await startWithForms('on')
  emulator.faults.add('itlMs=1')
  const random = createSeededRandom(1, 'aborts', 0)
  const keys = await Promise.all(
    FORMS.map(async ({ name }) => {
      const { key } = emulator.createAccount({ credits: '100' })
      const controller = new AbortController()
      setTimeout(() => controller.abort(), random.integerBelow(60))
      const messages = [{ role: 'user', content: `form ${name}.` }]
      const fields = { model: 'o3-mini', messages, stream: true, max_tokens: 100 }
      await sendChat(emulator, fields, { key, signal: controller.signal }).then(
        (response) => response.text().catch(() => ''),
        () => '',
      )
      return key
    }),
  )
  await expect.poll(() => keys.filter((key) => emulator.balance(key)?.heldUnits !== 0)).toEqual([])
  expect((await callControl(emulator, '/invariant')).json).toMatchObject({ holds: true })
})

test('the OpenAI SDK reads the text of any form with JSON chunks', async () => {
  await using emulator = await startWithForms('on')
  const client = new OpenAI({ baseURL: `${emulator.url}/v1`, apiKey: emulator.keys.funded, maxRetries: 0 })
  for (const form of FORMS.filter(({ options }) => options['chunk-shape'] !== 'text')) {
    const messages = [{ role: 'user' as const, content: `form ${form.name}.` }]
    let text = ''
    for await (const chunk of await client.chat.completions.create({ model: 'vendorc-4o', messages, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? ''
    }
    expect(text).toMatch(/\S/)
    expect(text).not.toContain('\u{fffd}')
  }
})

test.each(['on', 'off'] as const)('a client gets a million single bytes, with fast path %s', async (fastPath) => {
  const options = { 'padding-bytes': 1_000_000, 'bytes-per-write': 'one' } as const
  await using emulator = await startEmulator({ fastPath, options })
  const text = await (await sendChat(emulator, { stream: true })).text()
  expect(text.length).toBeGreaterThan(1_000_000)
  expect(text).toMatch(/\[DONE\]\n\n$/)
})
