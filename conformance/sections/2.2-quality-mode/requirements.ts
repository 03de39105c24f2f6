import { stated } from '../../engine/requirement.ts'

/** The specification does not name the parameter of a mode, so the checks run only if the owner declares it. */
export const qualityModeRequirements = [
  stated('2.2/allowed-values', 'Allowed values and their meaning:'),
  stated('2.2/auto-allowed', '| auto | Quality is chosen from the model and the task |'),
  stated('2.2/low-allowed', '| low | Faster, lower quality, for simple tasks |'),
  stated('2.2/high-allowed', '| high | Slower, higher quality, for complex reasoning |'),
  stated('2.2/ultra-allowed', '| ultra | Maximum quality, uses multi-pass refinement |'),
]
