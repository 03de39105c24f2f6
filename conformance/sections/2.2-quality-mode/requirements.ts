import type { RequirementRow } from '../../engine/requirement.ts'

/**
 * Section 2.2: quality modes. The specification does not name the parameter that selects a mode, so the checks run only
 * if the owner declares it.
 */
export const qualityModeRequirements: readonly RequirementRow[] = [
  { id: '2.2/allowed-values', level: 'stated', quote: 'Allowed values and their meaning:' },
  { id: '2.2/auto-allowed', level: 'stated', quote: '| auto | Quality is chosen from the model and the task |' },
  { id: '2.2/low-allowed', level: 'stated', quote: '| low | Faster, lower quality, for simple tasks |' },
  { id: '2.2/high-allowed', level: 'stated', quote: '| high | Slower, higher quality, for complex reasoning |' },
  { id: '2.2/ultra-allowed', level: 'stated', quote: '| ultra | Maximum quality, uses multi-pass refinement |' },
]
