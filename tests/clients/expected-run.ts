import type { ClientProgram } from './clients.ts'
import type { ClientResult } from './run-client.ts'
import { FORMS, SCENARIOS } from './scenarios.ts'
import { findUnreadForms } from './unread-forms.ts'

/** Builds the run of a client program that passes every scenario except those that it omits. */
export function createExpectedRun(client: Pick<ClientProgram, 'title' | 'installation' | 'omitted'>): ClientResult {
  const { omitted } = client
  const scenarios = SCENARIOS.filter(({ id }) => !omitted.includes(id))
  return {
    results: Object.fromEntries(scenarios.map(({ id, expected }) => [id, expected])),
    unreadForms: findUnreadForms(client, FORMS),
    // Each program sends a single chat request to the slow model.
    aborted: omitted.includes('abort') ? [] : [true],
    isLedgerExact: true,
  }
}
