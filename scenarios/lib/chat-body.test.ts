import { expect, test } from 'vitest'
import { buildChat } from './chat-body.ts'
import { parseSettings } from './parse-settings.ts'
import { parsePrompts } from './prompt-file.ts'
import { createNonce } from './prompts.ts'

const settings = parseSettings({ TOUCHSTONE_TARGET: 'http://h:1' })
const promptsOf = (...lines: object[]) => parsePrompts(lines.map((line) => JSON.stringify(line)).join('\n')).flat()
const user = (content: unknown) => ({ role: 'user', content })

test('sends a prompt of the file unchanged without a nonce, and repeats the file', () => {
  const prompts = promptsOf({ messages: [user('Hi')], temperature: 0, max_tokens: 9 }, { prompt: 'Ho' })
  const chat = buildChat({ ...settings, nonce: false }, prompts, { index: 2 })
  expect(chat.body).toEqual({ model: settings.models.chat, messages: [user('Hi')], temperature: 0, max_tokens: 9 })
  expect(chat.maxCompletionTokens).toBe(9)
  expect(buildChat({ ...settings, nonce: false }, prompts, { index: 1 }).body).toMatchObject({ max_tokens: 64 })
})

test('starts a prompt with a nonce, which the turns of a conversation share', () => {
  const prompts = promptsOf({
    turns: [{ role: 'system', content: 'S' }, user('A'), { role: 'assistant', content: 'B' }, user('C')],
  })
  const texts = [4, 5].map((index) =>
    buildChat(settings, prompts, { index }).body.messages.map(({ content }) => content),
  )
  const nonce = createNonce(settings.seed, 4)
  expect(texts).toEqual([
    [`${nonce}: S`, 'A'],
    [`${nonce}: S`, 'A', 'B', 'C'],
  ])
})

test.each<[string, object, object]>([
  ['max_completion_tokens', { max_completion_tokens: 7 }, { max_completion_tokens: 7 }],
  ['max_tokens', { max_tokens: 7 }, { max_tokens: 7 }],
])('replaces the limit of a line by %s of the added members', (_name, body, expected) => {
  const prompts = promptsOf({ messages: [user('Hi')], max_tokens: 9, n: 3 })
  const {
    messages: _,
    model: _model,
    ...members
  } = buildChat({ ...settings, body: { ...body } }, prompts, { index: 0 }).body
  expect(members).toEqual({ ...expected, n: 3 })
})

test('bounds the tokens by the bytes of the prompt, and by the limit of each choice', () => {
  const prompts = promptsOf({ messages: [user('ü€😀')], n: 3 })
  const { maxPromptTokens, maxCompletionTokens } = buildChat({ ...settings, nonce: false }, prompts, { index: 0 })
  expect(maxPromptTokens).toBe(Buffer.byteLength('ü€😀') + 16 + '{"n":3}'.length + 16)
  expect(maxCompletionTokens).toBe(3 * 64)
})

test('has no upper bound for an image', () => {
  const prompts = promptsOf({ messages: [user([{ type: 'image_url', image_url: { url: 'http://a/b.png' } }])] })
  expect(buildChat(settings, prompts, { index: 0 }).isUnbounded).toBe(true)
})
