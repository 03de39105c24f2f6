/** Endpoint of the balance: its path relative to the base URL, and a JSON pointer to the amount. */
export interface DeclaredBalance {
  readonly path: string
  readonly pointer: string
  /** Whether the amount is the sum of all charges, which rises, instead of a balance, which falls. Default: false. */
  readonly rises?: boolean
  /** Credits per unit of the amount, such as 0.01 for hundredths of a credit. Default: 1. */
  readonly factor?: number
  /** Maximum time until the amount contains a charge, in seconds. Default: 2. */
  readonly waitSeconds?: number
}

/** Declarations of the owner about behaviour that the specification leaves open. Some checks need one. */
export interface Declarations {
  /** Name of the chat parameter that selects a quality mode (section 2.2). */
  readonly qualityParameter?: string
  /** Message content with an image, and a model that accepts it (section 4.2). */
  readonly vision?: { readonly model: string; readonly content: readonly unknown[] }
  readonly balance?: DeclaredBalance
  /** Models that responses name instead of the requested ones, such as dated IDs, by requested model. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Set if the owner gives a revoked key. */
  readonly 'keys.revoked'?: true
  /** Balance of the small key's account, in credits. */
  readonly smallBalance?: number
  /** Number of parallel chats that together cost more than `smallBalance`. */
  readonly smallChats?: number
  /** Request limit of the limited key: `requests` within `seconds`. */
  readonly limitedRate?: { readonly requests: number; readonly seconds: number }
}

export type Declaration = keyof Declarations
