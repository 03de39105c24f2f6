import { expect, test } from 'vitest'
import { findCompletionId } from './completion-id.ts'

const ID = 'chatcmpl-0123456789abcdef'

test.each([
  ['a completion', `{"id":"${ID}","object":"chat.completion"}`, ID],
  ['a completion after other fields', `{"object":"chat.completion","id":"${ID}"}`, ID],
  ['the first events of a stream', `data: {"id":"${ID}","choices":[]}\n\ndata: {"id":"${ID}"}\n\n`, ID],
  ['an error', '{"error":{"code":"invalid-parameter"}}', undefined],
  ['an ID without an end', `{"id":"${ID}`, undefined],
  ['an ID longer than 200 characters', `{"id":"chatcmpl-${'0'.repeat(200)}"}`, undefined],
  ['an empty body', '', undefined],
])('finds the ID in the text and in the bytes of %s', (_, body, expected) => {
  expect(findCompletionId(body)).toBe(expected)
  expect(findCompletionId(Buffer.from(body))).toBe(expected)
})
