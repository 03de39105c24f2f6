import { preambleRequirements } from './0-preamble.ts'
import { serviceRequirements } from './1-service.ts'
import { modelRequirements } from './2.1-model.ts'
import { qualityModeRequirements } from './2.2-quality-mode.ts'
import { completionRequirements } from './2.3-completion.ts'
import { imageResultRequirements } from './2.4-image-result.ts'
import { transcriptionResultRequirements } from './2.5-transcription-result.ts'
import { stateRequirements } from './3-states.ts'
import { endpointRequirements } from './4-endpoints.ts'
import { listRequirements } from './4.1-models.ts'
import { chatRequirements } from './4.2-chat.ts'
import { agentRequirements } from './4.2-agents.ts'
import { streamRequirements } from './4.2-stream.ts'
import { imageRequirements } from './4.3-images.ts'
import { transcriptionRequirements } from './4.4-transcriptions.ts'
import { speechRequirements } from './4.5-speech.ts'
import { authenticationRequirements } from './5-authentication.ts'
import { eventRequirements } from './6-events.ts'
import { errorRequirements } from './7-errors.ts'
import { limitRequirements } from './8-limits.ts'
import { versioningRequirements } from './9-versioning.ts'
import type { Requirement } from './requirement.ts'

/**
 * Requirements for every sentence of the specification, in the order of its sections. Includes sentences that leave
 * behaviour open.
 */
export const REQUIREMENTS: readonly Requirement[] = [
  ...preambleRequirements,
  ...serviceRequirements,
  ...modelRequirements,
  ...qualityModeRequirements,
  ...completionRequirements,
  ...imageResultRequirements,
  ...transcriptionResultRequirements,
  ...stateRequirements,
  ...endpointRequirements,
  ...listRequirements,
  ...chatRequirements,
  ...streamRequirements,
  ...agentRequirements,
  ...imageRequirements,
  ...transcriptionRequirements,
  ...speechRequirements,
  ...authenticationRequirements,
  ...eventRequirements,
  ...errorRequirements,
  ...limitRequirements,
  ...versioningRequirements,
]
