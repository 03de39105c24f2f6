/**
 * Declarations of the owner about behaviour that the specification leaves open. Some checks need one, and are planned
 * only with it.
 */
export interface Declarations {
  /** Name of the chat parameter that selects a quality mode (section 2.2). */
  readonly qualityParameter?: string
  /** Message content with an image, and a model that accepts it (section 4.2). */
  readonly vision?: { readonly model: string; readonly content: readonly unknown[] }
  /**
   * Source of the balance: the path of a GET endpoint, relative to the base URL, and a JSON pointer to the credits in
   * its response.
   */
  readonly balance?: { readonly path: string; readonly pointer: string }
  /** Credits of the account with a small balance. */
  readonly smallBalance?: number
  /** Request limit of the limited key: `requests` within `seconds`. Further requests get a 429 (section 7). */
  readonly limitedRate?: { readonly requests: number; readonly seconds: number }
}

/** Name of a declaration. */
export type Declaration = keyof Declarations
