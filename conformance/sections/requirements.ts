import { preambleRequirements } from './1-service/preamble-requirements.ts'
import { serviceRequirements } from './1-service/requirements.ts'
import { modelRequirements } from './2.1-models/requirements.ts'
import { qualityModeRequirements } from './2.2-quality-mode/requirements.ts'
import { completionRequirements } from './2.3-completion/requirements.ts'
import { imageResultRequirements } from './4.3-images/result-requirements.ts'
import { transcriptionResultRequirements } from './4.4-transcriptions/result-requirements.ts'
import { stateRequirements } from './4-http/states-requirements.ts'
import { endpointRequirements } from './4-http/requirements.ts'
import { listRequirements } from './2.1-models/list-requirements.ts'
import { chatRequirements } from './4.2-chat/requirements.ts'
import { agentRequirements } from './4.2-agents/requirements.ts'
import { streamRequirements } from './4.2-stream/requirements.ts'
import { imageRequirements } from './4.3-images/requirements.ts'
import { transcriptionRequirements } from './4.4-transcriptions/requirements.ts'
import { speechRequirements } from './4.5-speech/requirements.ts'
import { authenticationRequirements } from './5-keys-and-credits/requirements.ts'
import { eventRequirements } from './4-http/events-requirements.ts'
import { errorRequirements } from './7-errors/requirements.ts'
import { limitRequirements } from './8-limits-and-charges/requirements.ts'
import { versioningRequirements } from './4-http/versioning-requirements.ts'
import type { Requirement, RequirementRow } from '../engine/requirement.ts'

const ROWS: readonly RequirementRow[] = [
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

/**
 * Requirements for every sentence of the specification, in the order of its sections. Includes sentences that leave
 * behaviour open.
 */
export const REQUIREMENTS: readonly Requirement[] = ROWS.map(({ id, ...row }) => ({
  id,
  section: id.split('/')[0] ?? '',
  ...row,
}))
