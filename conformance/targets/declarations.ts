/**
 * Declarations of a target's owner about behaviour that the specification leaves open, so that more can be tested. A
 * check that depends on a declaration is not planned without it.
 */
export interface Declarations {
  /** Name of the chat parameter that selects a quality mode (section 2.2). */
  readonly qualityParameter?: string
  /** Message content with an image, and a model that accepts it (section 4.2). */
  readonly vision?: { readonly model: string; readonly content: readonly unknown[] }
  /**
   * Endpoint where a GET with the key returns the balance (path relative to the base address), and a JSON pointer to
   * the credits.
   */
  readonly balance?: { readonly path: string; readonly pointer: string }
  /** Credits on the account of the key for small balances. */
  readonly smallBalance?: number
  /** Number of requests that the limited key may send within a time, in seconds; more get a 429 (section 7). */
  readonly limitedRate?: { readonly requests: number; readonly seconds: number }
}

/** The name of one declaration. */
export type Declaration = keyof Declarations
