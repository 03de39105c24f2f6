import { QUALITY_MODES } from '../../../contract/facts.ts'
import type { Requirement } from '../../engine/requirement.ts'

/**
 * Section 2.2: quality modes. The specification does not name the parameter that selects a mode, so the checks run only
 * if the owner declares it.
 */
export const qualityModeRequirements: readonly Requirement[] = [
  {
    id: '2.2/allowed-values',
    section: '2.2',
    level: 'stated',
    quote: 'Allowed values and their meaning:',
  },
  ...QUALITY_MODES.map(({ value, meaning }) => ({
    id: `2.2/${value}-allowed`,
    section: '2.2',
    level: 'stated' as const,
    quote: `| ${value} | ${meaning} |`,
  })),
]
