import type { RequirementRow } from '../../engine/requirement.ts'

export const stateRequirements = [
  {
    id: '3/states',
    level: 'unspecified',
    quote: 'States and transitions: not shown. No resource with a lifecycle is described.',
    excluded: 'no request reads or changes a state, so there is nothing to send',
  },
] as const satisfies readonly RequirementRow[]
