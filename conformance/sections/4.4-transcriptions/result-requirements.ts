import type { Requirement } from '../../engine/requirement.ts'

export const transcriptionResultRequirements = [
  { id: '2.5/text', section: '2.5', level: 'stated', quote: '| text | string |' },
] as const satisfies readonly Requirement[]
