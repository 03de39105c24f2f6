import type { ClientProgram } from './clients.ts'
import type { ClientResult } from './run-client.ts'
import { createFormMessage, FORM_TEXT, FORMS, SCENARIOS } from './scenarios.ts'

/** Builds the run of a client program that passes every scenario except those that it omits. */
export function createExpectedRun({ omitted }: Pick<ClientProgram, 'omitted'>): ClientResult {
  const scenarios = SCENARIOS.filter(({ id }) => !omitted.includes(id))
  return {
    results: {
      ...Object.fromEntries(scenarios.map(({ id, expected }) => [id, expected])),
      forms: Object.fromEntries(FORMS.map(({ name }) => [createFormMessage(name), FORM_TEXT])),
    },
    // Each program sends a single chat request to the slow model.
    aborted: omitted.includes('abort') ? [] : [true],
    isLedgerExact: true,
  }
}
