import type { LoadDocument } from './load-document.ts'

/**
 * Returns whether a document has an amount of credits. It has none if the target has no credits, or if the
 * specification gives no price for the models or operations of the run and the target has no ledger that the run can
 * read.
 */
export function hasCredits({ credits: { estimate, counted, ledger } }: LoadDocument): boolean {
  return estimate !== null || counted !== null || ledger !== null
}
