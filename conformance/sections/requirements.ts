import { serviceRequirements } from './1-service/requirements.ts'
import { modelRequirements } from './2.1-models/requirements.ts'
import { qualityModeRequirements } from './2.2-quality-mode/requirements.ts'
import { completionRequirements } from './2.3-completion/requirements.ts'
import { endpointRequirements } from './4-http/requirements.ts'
import { chatRequirements } from './4.2-chat/requirements.ts'
import { streamRequirements } from './4.2-stream/requirements.ts'
import { agentRequirements } from './4.2-agents/requirements.ts'
import { imageRequirements } from './4.3-images/requirements.ts'
import { transcriptionRequirements } from './4.4-transcriptions/requirements.ts'
import { speechRequirements } from './4.5-speech/requirements.ts'
import { authenticationRequirements } from './5-keys-and-credits/requirements.ts'
import { errorRequirements } from './7-errors/requirements.ts'
import { limitRequirements } from './8-limits-and-charges/requirements.ts'
import type { Requirement } from '../engine/requirement.ts'

const ROWS: readonly Requirement[] = [
  ...serviceRequirements,
  ...modelRequirements,
  ...qualityModeRequirements,
  ...completionRequirements,
  ...endpointRequirements,
  ...chatRequirements,
  ...streamRequirements,
  ...agentRequirements,
  ...imageRequirements,
  ...transcriptionRequirements,
  ...speechRequirements,
  ...authenticationRequirements,
  ...errorRequirements,
  ...limitRequirements,
]

/** Requirements for every sentence of the specification, in the order of its sections. */
export const REQUIREMENTS: readonly Requirement[] = ROWS.toSorted((a, b) =>
  a.section.localeCompare(b.section, 'en', { numeric: true }),
)
