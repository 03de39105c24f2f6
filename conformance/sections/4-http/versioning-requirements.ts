import type { Requirement } from '../../engine/requirement.ts'

export const versioningRequirements = [
  {
    id: '9/prefix',
    section: '9',
    level: 'stated',
    quote: 'All operations live under the path prefix /v1.',
    excluded: 'each request of the suite uses the prefix; 1/five-operations fails where an operation does not',
  },
  {
    id: '9/policy',
    section: '9',
    level: 'unspecified',
    quote: 'Versioning policy, deprecation rules and other versions: not shown.',
  },
] as const satisfies readonly Requirement[]
