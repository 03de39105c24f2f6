import { QUALITY_MODES } from '../../contract/facts.ts'
import type { Requirement } from './requirement.ts'

/** Section 2.2: the quality modes, which no documented parameter selects. */
export const qualityModeRequirements: readonly Requirement[] = QUALITY_MODES.map(({ value, meaning }) => ({
  id: `2.2/${value}`,
  section: '2.2',
  level: 'stated' as const,
  quote: `| ${value} | ${meaning} |`,
  excluded: 'planned: a target file that declares the parameter, which is not shown (4.2/quality-parameter)',
}))
