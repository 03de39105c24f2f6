import type { RequirementRow } from '../../engine/requirement.ts'

export const transcriptionResultRequirements = [
  { id: '2.5/text', level: 'stated', quote: '| text | string |' },
] as const satisfies readonly RequirementRow[]
