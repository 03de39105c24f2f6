import type { Check } from '../../engine/check.ts'
import { structuredOutputChecks } from './structured-output.ts'
import { severalCheck, shapeChecks, resultCheck } from './tool-call-shape.ts'
import { finishReasonChecks, toolChoiceChecks } from './tool-choice.ts'
import { toolStreamChecks } from './tool-streams.ts'
import { toolUsageChecks } from './tool-usage.ts'

export const agentChecks: readonly Check[] = [
  ...toolChoiceChecks,
  ...shapeChecks,
  ...finishReasonChecks,
  severalCheck,
  ...toolStreamChecks,
  resultCheck,
  ...structuredOutputChecks,
  ...toolUsageChecks,
]
