import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { createEmulator, type InProcessEmulator, type InstanceOptions } from '../../create-emulator.ts'

const REQUEST = { model: 'vendora-v4-flash', input: 'How is the weather?' }
const INCLUDE: OpenAI.Responses.ResponseIncludable[] = ['message.output_text.logprobs']

function start(options: InstanceOptions = {}): InProcessEmulator {
  return createEmulator({
    extensions: ['responses'],
    answerTokens: 6,
    ...options,
    options: { 'ignored-fields-header': 'sent', ...options.options },
  })
}

function connect({ fetch, keys }: InProcessEmulator): OpenAI {
  return new OpenAI({ baseURL: 'http://emulator.test/v1', apiKey: keys.funded, fetch, maxRetries: 0 })
}

function getText({ output }: OpenAI.Responses.Response): OpenAI.Responses.ResponseOutputText {
  const [item] = output
  const [part] = item?.type === 'message' ? item.content : []
  if (part?.type !== 'output_text') throw new Error('The text is missing.')
  return part
}

test('returns the same log probabilities with and without streaming, and those of a chat', async () => {
  const request = { ...REQUEST, include: INCLUDE, top_logprobs: 2 }
  const text = getText(await connect(start()).responses.create(request))
  expect(text.logprobs).toHaveLength(6)
  expect(text.logprobs?.map(({ token }) => token).join('')).toBe(text.text)
  for (const { token, logprob, bytes, top_logprobs: top } of text.logprobs ?? []) {
    expect(bytes).toEqual([...Buffer.from(token)])
    expect(top).toHaveLength(2)
    expect(top[0]).toMatchObject({ token, logprob })
    expect(top[1]?.logprob).toBeLessThan(logprob)
  }

  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  const stream = connect(start()).responses.stream(request)
  for await (const event of stream) events.push(event)
  expect(getText(await stream.finalResponse()).logprobs).toEqual(text.logprobs)
  const withoutBytes = text.logprobs?.map(({ token, logprob, top_logprobs: top }) => ({
    token,
    logprob,
    top_logprobs: top.map((one) => ({ token: one.token, logprob: one.logprob })),
  }))
  const deltas = events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.logprobs] : []))
  expect(deltas).toEqual(withoutBytes?.map((one) => [one]))
  const done = events.find((event) => event.type === 'response.output_text.done')
  expect(done?.logprobs).toEqual(withoutBytes)

  const chat = await connect(start()).chat.completions.create({
    model: REQUEST.model,
    messages: [{ role: 'user', content: REQUEST.input }],
    logprobs: true,
    top_logprobs: 2,
  })
  expect(chat.choices[0]?.logprobs?.content).toHaveLength(6)
})

test('returns log probabilities of the text of a fixture, but not of its tool calls', async () => {
  const emulator = start({ fixtures: [{ text: 'One moment.', toolCalls: [{ name: 'add', arguments: { a: 1 } }] }] })
  const response = await connect(emulator).responses.create({ ...REQUEST, include: INCLUDE })
  expect(getText(response).logprobs).toMatchObject([{ token: 'One' }, { token: ' moment' }, { token: '.' }])
  expect(getText(response).logprobs?.[0]?.top_logprobs).toEqual([])
})

test.each([
  ['without include', { top_logprobs: 2 }, {}, 'top_logprobs'],
  [
    'with other values of include',
    { include: ['reasoning.encrypted_content'] },
    {},
    'include.reasoning.encrypted_content',
  ],
  [
    'if an option ignores the fields',
    { include: INCLUDE, top_logprobs: 2 },
    { logprobs: 'ignored' },
    'include.message.output_text.logprobs, top_logprobs',
  ],
] as const)('returns no log probabilities, and lists the ignored fields, %s', async (_, fields, options, ignored) => {
  const request = { ...REQUEST, ...structuredClone(fields) } as OpenAI.Responses.ResponseCreateParamsNonStreaming
  const { data, response } = await connect(start({ options })).responses.create(request).withResponse()
  expect(getText(data).logprobs).toEqual([])
  expect(response.headers.get('x-touchstone-ignored-fields')).toBe(ignored)
})

test.each([
  [{ include: INCLUDE, top_logprobs: 21 }, {}, 'top_logprobs'],
  [{ top_logprobs: -1 }, {}, 'top_logprobs'],
  [{ include: INCLUDE }, { logprobs: 'refused' }, 'include'],
] as const)('rejects %j with the options %j', async (fields, options, param) => {
  const request = { ...REQUEST, ...structuredClone(fields) }
  const error: unknown = await connect(start({ options }))
    .responses.create(request as OpenAI.Responses.ResponseCreateParamsNonStreaming)
    .catch((cause: unknown) => cause)
  expect(error).toMatchObject({ status: 400, param, message: expect.stringContaining(`'${param}'`) })
})
