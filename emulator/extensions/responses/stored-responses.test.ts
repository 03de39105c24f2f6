import { expect, test } from 'vitest'
import type { MessageItem } from './response-items.ts'
import { MAX_STORED_RESPONSES, StoredResponses, type StoredResponse } from './stored-responses.ts'

function createItem(id: string): MessageItem {
  return { id, type: 'message', status: 'completed', role: 'assistant', content: [] }
}

function createResponse(characters: number): StoredResponse {
  return { messages: [], loadedTools: [], characters, body: '', input: [] }
}

test('drops the oldest response and its items beyond the maximum number', () => {
  const stored = new StoredResponses()
  for (let index = 0; index <= MAX_STORED_RESPONSES; index += 1) {
    stored.getStore('a').add(`resp_${index}`, createResponse(1), [createItem(`msg_${index}`)])
  }
  const store = stored.getStore('a')
  expect([store.findResponse('resp_0'), store.findItem('msg_0')]).toEqual([undefined, undefined])
  expect(store.findResponse('resp_1')).toBeDefined()
  expect(store.findItem('msg_1')).toBeDefined()
})

test('drops the oldest responses beyond the maximum size', () => {
  const store = new StoredResponses().getStore('a')
  for (const id of ['first', 'second', 'third']) store.add(id, createResponse(8 * 1024 * 1024), [])
  expect(store.findResponse('first')).toBeUndefined()
  expect(store.findResponse('second')).toBeDefined()
  expect(store.findResponse('third')).toBeDefined()
})
