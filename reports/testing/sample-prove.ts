import type { ProveDocument } from '../prove-document.ts'

/** A document of mutation tests with one caught and one surviving mutant. */
export const SAMPLE_PROVE: ProveDocument = {
  schemaVersion: 1,
  kind: 'prove',
  tool: { name: 'touchstone', version: '0.0.0' },
  startedAt: '2026-01-01T00:00:00.000Z',
  durationMs: 1234,
  verdict: 'not-proven',
  full: false,
  selection: { only: ['1/one'] },
  failingWithout: [{ check: '2/c', actual: 'fail: odd' }],
  checksWithoutMutant: ['1/z'],
  mutants: [
    { id: '1/one', breaks: 'one thing', kills: ['1/a'], alsoTouched: ['1/e'], shortfalls: [] },
    {
      id: '2/another',
      breaks: 'another thing',
      kills: [],
      alsoTouched: [],
      shortfalls: [{ check: '2/a', why: 'did not notice', expected: '^b$', actual: 'pass: fine' }],
    },
  ],
  checks: [{ id: '1/a', caught: ['1/one'] }],
}
