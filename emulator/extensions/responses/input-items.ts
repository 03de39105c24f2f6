import { toJsonObject } from '../../../common/json-object.ts'
import type { ResponseStore } from './stored-responses.ts'

/**
 * Creates the input items that GET /v1/responses/ID/input_items returns. Items without an ID get one, messages have the
 * long form, and references are replaced by the items to which they refer.
 * @param input valid input of a request
 */
export function createInputItems(input: unknown, responseId: string, store: ResponseStore): readonly object[] {
  const items: readonly unknown[] = Array.isArray(input) ? input : [{ role: 'user', content: input }]
  return items.map((value, index): object => {
    const item = toJsonObject(value)
    const { type = 'message', id, role, content } = item
    if (type === 'item_reference') return store.findItem(String(id)) ?? item
    const identity = { id: typeof id === 'string' ? id : `item_${responseId.replace(/^resp_/, '')}_${index}` }
    if (type !== 'message') return { ...item, ...identity }
    return { ...item, ...identity, type, status: 'completed', content: createContent(role, content) }
  })
}

function createContent(role: unknown, content: unknown): unknown {
  if (typeof content !== 'string') return content
  return [
    role === 'assistant'
      ? { type: 'output_text', annotations: [], text: content }
      : { type: 'input_text', text: content },
  ]
}
