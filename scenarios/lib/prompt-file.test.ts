import { expect, test } from 'vitest'
import { orderPrompts, parsePrompts } from './prompt-file.ts'

const user = (content: string) => ({ role: 'user', content })
const lineOf = (...lines: object[]) => lines.map((line) => JSON.stringify(line)).join('\n')

test.each<[string, object, object]>([
  ['messages', { messages: [user('Hi')] }, { messages: [user('Hi')], members: {} }],
  [
    'a whole body, without the members that the run sets',
    { model: 'm', stream: true, stream_options: {}, messages: [user('Hi')], max_tokens: 9, temperature: 0 },
    { messages: [user('Hi')], members: { max_tokens: 9, temperature: 0 } },
  ],
  [
    'a batch file',
    { custom_id: 'a', body: { messages: [user('Hi')], n: 2 } },
    { messages: [user('Hi')], members: { n: 2 } },
  ],
  ['a prompt', { prompt: 'Hi', category: 'x' }, { messages: [user('Hi')], members: {} }],
  ['a prompt and a limit', { prompt: 'Hi', max_tokens: 5 }, { messages: [user('Hi')], members: { max_tokens: 5 } }],
  ['a text', { text: 'Hi' }, { messages: [user('Hi')], members: {} }],
])('reads a line with %s', (_name, line, expected) => {
  expect(parsePrompts(`\uFEFF${JSON.stringify(line)}\n\n`)).toEqual([[{ ...expected, turn: 0 }]])
})

test('sends a conversation as one request for each message of the user, with all messages before it', () => {
  const answer = { role: 'assistant', content: 'B' }
  const turns = [user('A'), answer, user('C')]
  const expected = [
    { messages: [user('A')], members: {}, turn: 0 },
    { messages: turns, members: {}, turn: 1 },
  ]
  const conversations = [
    { from: 'human', value: 'A' },
    { from: 'gpt', value: 'B' },
    { from: 'human', value: 'C' },
  ]
  expect(parsePrompts(lineOf({ turns }, { id: 'x', conversations }))).toEqual([expected, expected])
})

test('keeps a role that is also the name of a method', () => {
  const turns = [user('A'), { role: 'toString', content: 'B' }]
  expect(parsePrompts(lineOf({ turns }))).toEqual([[{ messages: [user('A')], members: {}, turn: 0 }]])
  expect(parsePrompts(lineOf({ messages: turns }))).toEqual([[{ messages: turns, members: {}, turn: 0 }]])
})

test.each([
  ['', 'The file has no lines: it needs one of JSON for each prompt.'],
  [
    '{"prompt":"a"}\n{',
    'Line 2 is not JSON, or is nested more than 512 deep: the file needs one JSON object on each line.',
  ],
  ['[]', 'Line 1 is not a JSON object.'],
  ['{}', 'Line 1 has neither messages nor a prompt: write {"messages": [{"role": "user", "content": "Hello"}]}.'],
  ['{"messages":[]}', 'Line 1 has no list of messages in messages.'],
  ['\n{"messages":[{"content":"a"}]}', /^Line 2 has a message that is not like/],
  ['{"turns":["a","b"]}', /^Line 1 has a message .* A conversation needs the messages of the assistant too\.$/],
  ['{"turns":[{"role":"assistant","content":"a"}]}', 'Line 1 has a conversation without a message of the user.'],
  ['{"messages":[{"role":"user"}],"n":0}', /^Line 1 has a/],
  [
    '{"messages":[{"role":"user","content":"a"}],"max_tokens":1.5}',
    'Line 1 has a value of max_tokens that is not a whole number of at least 1.',
  ],
  [
    '{"messages":[{"role":"user","content":{"a":1}}]}',
    'Line 1 has a message whose content is neither a text nor a list in messages.',
  ],
  ['{"turns":[{"from":"human","value":1}]}', 'content is neither a text nor a list in turns.'],
  [`{"messages":[{"role":"user"}],"tools":${'['.repeat(512)}${']'.repeat(512)}}`, /^Line 1 is not JSON, or is nested/],
])('rejects %j with the number of the line', (text, message) => {
  expect(() => parsePrompts(text)).toThrow(message)
})

test.each([null, undefined, [{ type: 'text', text: 'a' }]])('accepts a message with the content %j', (content) => {
  const message = { role: 'assistant', content, tool_calls: [] }
  expect(parsePrompts(lineOf({ messages: [message] }))[0]?.[0]?.messages).toEqual([message])
})

test('rejects lines that cannot be streamed', () => {
  const choices = lineOf({ prompt: 'a' }, { messages: [user('a')], n: 2 })
  expect(() => parsePrompts(choices, true)).toThrow('Line 2 has an n above 1')
  expect(parsePrompts(choices)).toHaveLength(2)
})

test('orders lines by the seed, and keeps the turns of a conversation together', () => {
  const turns = [user('A'), user('B'), user('C')]
  const lines = parsePrompts(lineOf(...Array.from({ length: 20 }, (_, at) => ({ prompt: `${at}` })), { turns }))
  const ordered = orderPrompts(lines, 1)
  expect(orderPrompts(lines, 1)).toEqual(ordered)
  expect(orderPrompts(lines, 2)).not.toEqual(ordered)
  expect(ordered.map(({ messages }) => messages[0]?.content).toSorted()).toEqual(
    lines
      .flat()
      .map(({ messages }) => messages[0]?.content)
      .toSorted(),
  )
  const start = ordered.findIndex(({ messages }) => messages[0]?.content === 'A')
  expect(ordered.slice(start, start + 3).map(({ turn }) => turn)).toEqual([0, 1, 2])
})
