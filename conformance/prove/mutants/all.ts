import type { Mutant } from '../mutant.ts'
import { crossTalkMutants } from './1-cross-talk.ts'
import { sdkMutants } from './1-sdk.ts'
import { serviceMutants } from './1-service.ts'
import { modelMutants } from './2.1-model.ts'
import { declaredBehaviourMutants } from './2.2-quality-mode.ts'
import { priceMutants } from './2.1-prices.ts'
import { completionMutants } from './2.3-completion.ts'
import { imageResultMutants } from './2.4-image-result.ts'
import { httpMutants } from './4-http.ts'
import { parameterMutants } from './4-parameters.ts'
import { agentMutants } from './4.2-agents.ts'
import { chatObservationMutants } from './4.2-chat-observations.ts'
import { chatMutants } from './4.2-chat.ts'
import { streamTimingMutants } from './4.2-stream-timing.ts'
import { streamMutants } from './4.2-stream.ts'
import { imageMutants } from './4.3-images.ts'
import { transcriptionMutants } from './4.4-transcriptions.ts'
import { speechMutants } from './4.5-speech.ts'
import { everyResponseMutants } from './every-response.ts'
import { authenticationMutants } from './5-authentication.ts'
import { creditMutants } from './5-credits.ts'
import { errorBodyMutants } from './7-error-body.ts'
import { errorMutants } from './7-errors.ts'
import { orderMutants } from './7-order.ts'
import { rateLimitMutants } from './7-rate-limit.ts'
import { unusualBodyMutants } from './7-unusual-bodies.ts'

/** All mutants, in the order of the sections. Each check of the suite has at least one mutant. */
export const MUTANTS: readonly Mutant[] = [
  ...serviceMutants,
  ...crossTalkMutants,
  ...sdkMutants,
  ...modelMutants,
  ...declaredBehaviourMutants,
  ...priceMutants,
  ...completionMutants,
  ...imageResultMutants,
  ...httpMutants,
  ...parameterMutants,
  ...chatMutants,
  ...streamMutants,
  ...streamTimingMutants,
  ...chatObservationMutants,
  ...agentMutants,
  ...imageMutants,
  ...transcriptionMutants,
  ...speechMutants,
  ...everyResponseMutants,
  ...authenticationMutants,
  ...creditMutants,
  ...errorMutants,
  ...errorBodyMutants,
  ...orderMutants,
  ...unusualBodyMutants,
  ...rateLimitMutants,
]
