import type { AnyCheck } from '../engine/check.ts'
import { byteOrderMarkChecks } from './1-service/byte-order-mark.ts'
import { intactTextChecks } from './1-service/damaged-text.ts'
import { agentChecks } from './4.2-agents/agents.ts'
import { crossTalkChecks, ownAnswerEverywhereCheck } from './1-service/cross-talk.ts'
import { completionTextChecks } from './4.2-chat/completion-texts.ts'
import { unreadFormChecks } from './4.2-stream/unread-forms.ts'
import { everyStreamChecks } from './4.2-stream/every-stream.ts'
import { sdkErrorChecks } from './1-service/sdk-errors.ts'
import { sdkServedChecks } from './1-service/sdk-served.ts'
import { serviceChecks } from './1-service/service.ts'
import { listShapeCheck, modelChecks } from './2.1-models/models.ts'
import { qualityModeChecks } from './2.2-quality-mode/quality-mode.ts'
import { priceChecks } from './2.1-models/prices.ts'
import { completionChecks } from './2.3-completion/completion.ts'
import { messageChecks } from './2.3-completion/messages.ts'
import { imageAddressChecks } from './4.3-images/image-address.ts'
import { httpChecks, versioningChecks } from './4-http/http.ts'
import { chatObservationChecks } from './4.2-chat/chat-observations.ts'
import { nextRequestAfterAbort } from './4.2-stream/aborted-streams.ts'
import { streamChecks } from './4.2-stream/chat-stream.ts'
import { chatChecks, chatDefaultChecks, visionChecks } from './4.2-chat/chat.ts'
import { eachModelChecks } from './4.2-chat/each-model.ts'
import { streamsCompleteCheck } from './4.2-stream/stream-ends.ts'
import { compressedStreamCheck } from './4.2-stream/compressed-stream.ts'
import { streamProgressCheck } from './4.2-stream/stream-timing.ts'
import { imageSizeCheck, ownSizeCheck } from './4.3-images/image-size.ts'
import { imageChecks, imageCountDefaultCheck, resultFieldChecks } from './4.3-images/images.ts'
import { transcriptionChecks, transcriptionTextCheck } from './4.4-transcriptions/transcriptions.ts'
import { speechChecks, voiceDefaultCheck } from './4.5-speech/speech.ts'
import { authenticationChecks } from './5-keys-and-credits/authentication.ts'
import { concurrentSpendingCheck } from './5-keys-and-credits/concurrent-credits.ts'
import { responseCacheChecks } from './5-keys-and-credits/response-cache.ts'
import { creditChecks } from './5-keys-and-credits/credits.ts'
import { validKeyEverywhereChecks } from './5-keys-and-credits/valid-key-everywhere.ts'
import { everyResponseChecks } from './shared/every-response.ts'
import { breakdownChecks } from './7-breakdowns/breakdowns.ts'
import { errorBodiesChecks } from './7-errors/error-bodies.ts'
import { errorShapeCheck } from './7-errors/error-body.ts'
import { errorChecks, orderChecks } from './7-errors/errors.ts'
import { rateLimitChecks } from './7-rate-limit/rate-limit.ts'
import { recoveryCheck } from './7-rate-limit/recovery.ts'
import { unusualBodyChecks } from './7-errors/unusual-bodies.ts'
import { chargeChecks } from './8-limits-and-charges/charges.ts'
import { limitChecks } from './8-limits-and-charges/limits.ts'
import { statusChecks } from './7-errors/statuses.ts'

/** Every check of the suite, in the order of the sections. Each check names a requirement of `requirements.ts`. */
export const CHECKS: readonly AnyCheck[] = [
  ...serviceChecks,
  ...sdkServedChecks,
  ...sdkErrorChecks,
  ...crossTalkChecks,
  ownAnswerEverywhereCheck,
  ...modelChecks,
  ...priceChecks,
  ...qualityModeChecks,
  ...completionChecks,
  ...messageChecks,
  ...resultFieldChecks,
  ...imageAddressChecks,
  imageSizeCheck,
  transcriptionTextCheck,
  ...httpChecks,
  listShapeCheck,
  ...chatChecks,
  ...eachModelChecks,
  ...streamChecks,
  streamProgressCheck,
  compressedStreamCheck,
  streamsCompleteCheck,
  ...everyStreamChecks,
  ...unreadFormChecks,
  ...completionTextChecks,
  nextRequestAfterAbort,
  ...visionChecks,
  ...chatObservationChecks,
  ...agentChecks,
  ...everyResponseChecks,
  ...byteOrderMarkChecks,
  ...intactTextChecks,
  ...imageChecks,
  ownSizeCheck,
  ...transcriptionChecks,
  ...speechChecks,
  ...authenticationChecks,
  ...validKeyEverywhereChecks,
  ...creditChecks,
  ...responseCacheChecks,
  concurrentSpendingCheck,
  ...statusChecks,
  ...errorChecks,
  errorShapeCheck,
  ...errorBodiesChecks,
  ...breakdownChecks,
  ...orderChecks,
  ...unusualBodyChecks,
  ...rateLimitChecks,
  recoveryCheck,
  ...chatDefaultChecks,
  imageCountDefaultCheck,
  voiceDefaultCheck,
  ...limitChecks,
  ...chargeChecks,
  ...versioningChecks,
]
