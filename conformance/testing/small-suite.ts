import type { Requirement } from '../engine/requirement.ts'
import type { Check } from '../engine/check.ts'
import type { Suite } from '../engine/settings.ts'

/** Creates a requirement of the level `stated` for tests. Its section is the part of the ID before the slash. */
export function createRequirement(id: string): Requirement {
  return { id, section: id.split('/')[0] ?? '', level: 'stated', quote: `the sentence of ${id}` }
}

/** Creates a check for tests. By default, it passes without sending any request. */
export function createCheck(id: string, changes: Partial<Check> = {}): Check {
  return {
    id,
    requirement: id,
    title: `the title of ${id}`,
    operation: 'models',
    needs: [],
    cost: { requests: 0 },
    run: () => Promise.resolve({ verdict: 'pass', code: 'as-expected', params: {} }),
    ...changes,
  }
}

export function createSuite(checks: readonly (string | Check)[]): Suite {
  const all = checks.map((check) => (typeof check === 'string' ? createCheck(check) : check))
  return { requirements: all.map((check) => createRequirement(check.id)), checks: all }
}
