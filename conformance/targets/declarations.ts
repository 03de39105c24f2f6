/**
 * Declarations of the owner about behaviour that the specification leaves open. The run includes some checks only if
 * the owner makes their declaration.
 */
export interface Declarations {
  /** Name of the chat parameter that selects a quality mode (section 2.2). */
  readonly qualityParameter?: string
  /** Message content with an image, and a model that accepts it (section 4.2). */
  readonly vision?: { readonly model: string; readonly content: readonly unknown[] }
  /**
   * Endpoint that returns the balance to a GET: its path relative to the base URL, and a JSON pointer to the credits in
   * its response.
   */
  readonly balance?: { readonly path: string; readonly pointer: string }
  /** Models that responses name instead of the requested ones, such as dated IDs, by requested model. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Balance of the small key's account, in credits. */
  readonly smallBalance?: number
  /**
   * Request limit of the limited key: `requests` within `seconds`. The target sends 429 to further requests (section
   * 7).
   */
  readonly limitedRate?: { readonly requests: number; readonly seconds: number }
}

export type Declaration = keyof Declarations
