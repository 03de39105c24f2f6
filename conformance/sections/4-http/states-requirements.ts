import type { Requirement } from '../../engine/requirement.ts'

export const stateRequirements = [
  {
    id: '3/states',
    section: '3',
    level: 'unspecified',
    quote: 'States and transitions: not shown. No resource with a lifecycle is described.',
    excluded: 'no request reads or changes a state, so there is nothing to send',
  },
] as const satisfies readonly Requirement[]
