import type { ChatMessage } from './response-items.ts'

/** Maximum number of responses stored for all accounts together. */
export const MAX_STORED_RESPONSES = 10_000

/** Maximum size of all stored conversations and responses together, in characters of their JSON text. */
const MAX_STORED_CHARACTERS = 16 * 1024 * 1024

/** A conversation up to and including a response, without instructions. */
export interface StoredConversation {
  readonly messages: readonly ChatMessage[]
  /** Tools that the conversation made available, such as the results of tool searches. */
  readonly loadedTools: readonly unknown[]
  /** Size of the messages and the tools, in characters of their JSON text. */
  readonly characters: number
}

export interface StoredResponse extends StoredConversation {
  /** JSON text of the response object. */
  readonly body: string
  /** Input items of the request, without those of earlier requests. */
  readonly input: readonly object[]
}

export interface ResponseStore {
  findResponse(id: string): StoredResponse | undefined
  findItem(id: string): StoredOutputItem | undefined
  add(id: string, response: StoredResponse, output: readonly StoredOutputItem[]): void
  remove(id: string): void
}

/** An output item of a stored response, which was generated or recorded. */
export interface StoredOutputItem {
  readonly id: string
}

/**
 * Stores responses in memory, for `previous_response_id`, `item_reference` and GET /v1/responses/ID. Drops the oldest
 * responses beyond MAX_STORED_RESPONSES and MAX_STORED_CHARACTERS. Accounts cannot read the responses of other accounts.
 */
export class StoredResponses {
  readonly #responses = new Map<string, StoredResponse & { readonly itemKeys: readonly string[] }>()
  readonly #items = new Map<string, StoredOutputItem>()
  #characters = 0

  getStore(accountId: string): ResponseStore {
    const keyOf = (id: string) => `${accountId} ${id}`
    return {
      findResponse: (id) => this.#responses.get(keyOf(id)),
      findItem: (id) => this.#items.get(keyOf(id)),
      add: (id, response, output) => {
        const key = keyOf(id)
        this.#remove(key)
        for (const item of output) this.#items.set(keyOf(item.id), item)
        this.#responses.set(key, { ...response, itemKeys: output.map((item) => keyOf(item.id)) })
        this.#characters += countCharacters(response)
        this.#dropOldest()
      },
      remove: (id) => this.#remove(keyOf(id)),
    }
  }

  clear(): void {
    this.#responses.clear()
    this.#items.clear()
    this.#characters = 0
  }

  #dropOldest(): void {
    for (const key of this.#responses.keys()) {
      if (this.#responses.size <= MAX_STORED_RESPONSES && this.#characters <= MAX_STORED_CHARACTERS) return
      this.#remove(key)
    }
  }

  #remove(key: string): void {
    const stored = this.#responses.get(key)
    if (stored === undefined) return
    for (const itemKey of stored.itemKeys) this.#items.delete(itemKey)
    this.#responses.delete(key)
    this.#characters -= countCharacters(stored)
  }
}

/** The input items contain the same texts as the messages, so they are not counted. */
function countCharacters({ characters, body }: StoredResponse): number {
  return characters + body.length
}
