import type { Defect } from '../defect.ts'
import { crossTalkDefects } from './1-cross-talk.ts'
import { sdkDefects } from './1-sdk.ts'
import { serviceDefects } from './1-service.ts'
import { modelDefects } from './2.1-model.ts'
import { declaredDefects } from './2.2-quality-mode.ts'
import { chargeDefects } from './2.1-prices.ts'
import { completionDefects } from './2.3-completion.ts'
import { imageResultDefects } from './2.4-image-result.ts'
import { httpDefects } from './4-http.ts'
import { parameterDefects } from './4-parameters.ts'
import { chatSilenceDefects } from './4.2-chat-silences.ts'
import { chatDefects } from './4.2-chat.ts'
import { paceDefects } from './4.2-stream-pace.ts'
import { streamDefects } from './4.2-stream.ts'
import { imageDefects } from './4.3-images.ts'
import { transcriptionDefects } from './4.4-transcriptions.ts'
import { speechDefects } from './4.5-speech.ts'
import { authenticationDefects } from './5-authentication.ts'
import { creditDefects } from './5-credits.ts'
import { errorBodyDefects } from './7-error-body.ts'
import { errorDefects } from './7-errors.ts'
import { orderDefects } from './7-order.ts'
import { rateLimitDefects } from './7-rate-limit.ts'

/** Every defect, in the order of the sections; each check of the suite is meant by at least one. */
export const DEFECTS: readonly Defect[] = [
  ...serviceDefects,
  ...crossTalkDefects,
  ...sdkDefects,
  ...modelDefects,
  ...declaredDefects,
  ...chargeDefects,
  ...completionDefects,
  ...imageResultDefects,
  ...httpDefects,
  ...parameterDefects,
  ...chatDefects,
  ...streamDefects,
  ...paceDefects,
  ...chatSilenceDefects,
  ...imageDefects,
  ...transcriptionDefects,
  ...speechDefects,
  ...authenticationDefects,
  ...creditDefects,
  ...errorDefects,
  ...errorBodyDefects,
  ...orderDefects,
  ...rateLimitDefects,
]
