import type { Mutant } from '../mutation/mutant.ts'
import { crossTalkMutants } from './1-service/cross-talk-mutants.ts'
import { sdkMutants } from './1-service/sdk-mutants.ts'
import { serviceMutants } from './1-service/mutants.ts'
import { modelMutants } from './2.1-models/mutants.ts'
import { declaredBehaviourMutants } from './2.2-quality-mode/mutants.ts'
import { priceMutants } from './2.1-models/prices-mutants.ts'
import { completionMutants } from './2.3-completion/mutants.ts'
import { imageResultMutants } from './4.3-images/result-mutants.ts'
import { httpMutants } from './4-http/mutants.ts'
import { parameterMutants } from './4-http/parameters-mutants.ts'
import { agentMutants } from './4.2-agents/mutants.ts'
import { chatObservationMutants } from './4.2-chat/observations-mutants.ts'
import { chatMutants } from './4.2-chat/mutants.ts'
import { streamTimingMutants } from './4.2-stream/timing-mutants.ts'
import { streamMutants } from './4.2-stream/mutants.ts'
import { imageMutants } from './4.3-images/mutants.ts'
import { transcriptionMutants } from './4.4-transcriptions/mutants.ts'
import { speechMutants } from './4.5-speech/mutants.ts'
import { everyResponseMutants } from './shared/every-response-mutants.ts'
import { authenticationMutants } from './5-keys-and-credits/keys-mutants.ts'
import { creditMutants } from './5-keys-and-credits/credits-mutants.ts'
import { mediaChargeMutants } from './8-limits-and-charges/media-charges-mutants.ts'
import { errorBodyMutants } from './7-errors/error-body-mutants.ts'
import { errorMutants, orderMutants } from './7-errors/mutants.ts'
import { rateLimitMutants } from './7-rate-limit/mutants.ts'
import { unusualBodyMutants } from './7-errors/unusual-bodies-mutants.ts'

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
  ...mediaChargeMutants,
]
