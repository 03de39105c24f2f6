import type { AnyCheck } from '../engine/check.ts'
import { byteOrderMarkChecks } from './1-byte-order-mark.ts'
import { agentChecks } from './agents/agents.ts'
import { crossTalkChecks } from './1-cross-talk.ts'
import { ownAnswerEverywhereChecks } from './1-own-answer-everywhere.ts'
import { completionTextChecks } from './4.2-completion-texts.ts'
import { everyStreamChecks } from './4.2-every-stream.ts'
import { sdkErrorChecks } from './1-sdk-errors.ts'
import { sdkServedChecks } from './1-sdk-served.ts'
import { serviceChecks } from './1-service.ts'
import { listChecks, modelChecks } from './2.1-model.ts'
import { qualityModeChecks } from './2.2-quality-mode.ts'
import { priceChecks } from './2.1-prices.ts'
import { completionChecks } from './2.3-completion.ts'
import { finishReasonChecks } from './2.3-finish-reason-at-bound.ts'
import { messageChecks } from './2.3-messages.ts'
import { imageAddressChecks } from './2.4-image-address.ts'
import { connectionChecks } from './4-connection.ts'
import { httpChecks } from './4-http.ts'
import { chatObservationChecks } from './4.2-chat-observations.ts'
import { abortedStreamChecks, streamChecks } from './4.2-chat-stream.ts'
import { chatChecks, chatDefaultChecks, visionChecks } from './4.2-chat.ts'
import { eachModelChecks } from './4.2-each-model.ts'
import { streamEndChecks } from './4.2-stream-ends.ts'
import { compressedStreamChecks } from './4.2-compressed-stream.ts'
import { streamTimingChecks } from './4.2-stream-timing.ts'
import { imageFileChecks, imageSizeChecks } from './4.3-image-size.ts'
import { imageChecks, imageDefaultChecks, imageResultChecks } from './4.3-images.ts'
import { transcriptionChecks, transcriptionResultChecks } from './4.4-transcriptions.ts'
import { speechChecks, speechDefaultChecks } from './4.5-speech.ts'
import { authenticationChecks } from './5-authentication.ts'
import { concurrentCreditChecks } from './5-concurrent-credits.ts'
import { creditChecks } from './5-credits.ts'
import { validKeyEverywhereChecks } from './5-valid-key-everywhere.ts'
import { everyResponseChecks } from './every-response.ts'
import { breakdownChecks } from './7-breakdowns.ts'
import { errorBodiesEverywhereChecks } from './7-error-bodies-everywhere.ts'
import { errorBodyChecks } from './7-error-body.ts'
import { errorChecks } from './7-errors.ts'
import { orderChecks } from './7-order.ts'
import { rateLimitChecks } from './7-rate-limit.ts'
import { recoveryChecks } from './7-recovery.ts'
import { unusualBodyChecks } from './7-unusual-bodies.ts'
import { chargeChecks } from './8-charges.ts'
import { limitChecks } from './8-limits.ts'
import { statusChecks } from './7-statuses.ts'
import { versioningChecks } from './9-versioning.ts'

/** Every check of the suite, in the order of the sections. Each check names a requirement of `requirements/all.ts`. */
export const CHECKS: readonly AnyCheck[] = [
  ...serviceChecks,
  ...sdkServedChecks,
  ...sdkErrorChecks,
  ...crossTalkChecks,
  ...ownAnswerEverywhereChecks,
  ...modelChecks,
  ...priceChecks,
  ...qualityModeChecks,
  ...completionChecks,
  ...finishReasonChecks,
  ...messageChecks,
  ...imageResultChecks,
  ...imageAddressChecks,
  ...imageFileChecks,
  ...transcriptionResultChecks,
  ...httpChecks,
  ...connectionChecks,
  ...listChecks,
  ...chatChecks,
  ...eachModelChecks,
  ...streamChecks,
  ...streamTimingChecks,
  ...compressedStreamChecks,
  ...streamEndChecks,
  ...everyStreamChecks,
  ...completionTextChecks,
  ...abortedStreamChecks,
  ...visionChecks,
  ...chatObservationChecks,
  ...agentChecks,
  ...everyResponseChecks,
  ...byteOrderMarkChecks,
  ...imageChecks,
  ...imageSizeChecks,
  ...transcriptionChecks,
  ...speechChecks,
  ...authenticationChecks,
  ...validKeyEverywhereChecks,
  ...creditChecks,
  ...concurrentCreditChecks,
  ...statusChecks,
  ...errorChecks,
  ...errorBodyChecks,
  ...errorBodiesEverywhereChecks,
  ...breakdownChecks,
  ...orderChecks,
  ...unusualBodyChecks,
  ...rateLimitChecks,
  ...recoveryChecks,
  ...chatDefaultChecks,
  ...imageDefaultChecks,
  ...speechDefaultChecks,
  ...limitChecks,
  ...chargeChecks,
  ...versioningChecks,
]
