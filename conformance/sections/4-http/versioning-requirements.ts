import type { RequirementRow } from '../../engine/requirement.ts'

export const versioningRequirements = [
  {
    id: '9/prefix',
    level: 'stated',
    quote: 'All operations live under the path prefix /v1.',
    excluded: 'each request of the suite uses the prefix; 1/five-operations fails where an operation does not',
  },
  {
    id: '9/policy',
    level: 'unspecified',
    quote: 'Versioning policy, deprecation rules and other versions: not shown.',
  },
] as const satisfies readonly RequirementRow[]
