import type { ChatMessage } from './response-items.ts'

/** Maximum number of responses stored for all accounts together. */
export const MAX_STORED_RESPONSES = 10_000

/** Maximum size of all stored conversations together, in characters of their JSON text. */
const MAX_STORED_CHARACTERS = 16 * 1024 * 1024

/** A conversation up to and including a response, without instructions. */
export interface StoredConversation {
  readonly messages: readonly ChatMessage[]
  /** Tools that the conversation made available, such as the results of tool searches. */
  readonly loadedTools: readonly unknown[]
  /** Size of the messages and the tools, in characters of their JSON text. */
  readonly characters: number
}

interface StoredResponse extends StoredConversation {
  readonly itemKeys: readonly string[]
}

export interface ResponseStore {
  findResponse(id: string): StoredConversation | undefined
  /** Finds an output item by id among the stored responses. */
  findItem(id: string): StoredOutputItem | undefined
  add(id: string, conversation: StoredConversation, output: readonly StoredOutputItem[]): void
}

/** An output item of a stored response, which was generated or recorded. */
export interface StoredOutputItem {
  readonly id: string
}

/**
 * Stores responses in memory, for `previous_response_id` and `item_reference`. Drops the oldest responses beyond
 * MAX_STORED_RESPONSES and MAX_STORED_CHARACTERS. Accounts cannot read the responses of other accounts.
 */
export class StoredResponses {
  readonly #responses = new Map<string, StoredResponse>()
  readonly #items = new Map<string, StoredOutputItem>()
  #characters = 0

  getStore(accountId: string): ResponseStore {
    const keyOf = (id: string) => `${accountId} ${id}`
    return {
      findResponse: (id) => this.#responses.get(keyOf(id)),
      findItem: (id) => this.#items.get(keyOf(id)),
      add: (id, conversation, output) => {
        const key = keyOf(id)
        this.#remove(key)
        for (const item of output) this.#items.set(keyOf(item.id), item)
        this.#responses.set(key, { ...conversation, itemKeys: output.map((item) => keyOf(item.id)) })
        this.#characters += conversation.characters
        this.#dropOldest()
      },
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
    this.#characters -= stored.characters
  }
}
