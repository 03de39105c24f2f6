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
  {
    id: '2.2/auto-allowed',
    section: '2.2',
    level: 'stated',
    quote: '| auto | Quality is chosen from the model and the task |',
  },
  {
    id: '2.2/low-allowed',
    section: '2.2',
    level: 'stated',
    quote: '| low | Faster, lower quality, for simple tasks |',
  },
  {
    id: '2.2/high-allowed',
    section: '2.2',
    level: 'stated',
    quote: '| high | Slower, higher quality, for complex reasoning |',
  },
  {
    id: '2.2/ultra-allowed',
    section: '2.2',
    level: 'stated',
    quote: '| ultra | Maximum quality, uses multi-pass refinement |',
  },
]
