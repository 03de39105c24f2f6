import { type AnyCheck, defineSummaryCheck } from '../../engine/check.ts'
import * as expect from '../../findings/expect.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import { getCompletionTokens, getMember } from '../shared/response-access.ts'
import { listSuccessfulResponses } from '../shared/recorded-responses.ts'
import { measureStream } from '../4.2-stream/stream-length.ts'
import { parseStream } from '../shared/stream.ts'

const MAX_EVIDENCE = 2

// The specification shows only "stop", but SDKs and clients recognize a truncated completion by "length".
export const finishReasonAtBoundCheck = defineSummaryCheck({
  id: '2.3/finish-reason-at-bound',
  requirement: '2.3/finish-reason-open',
  title: 'the finish_reason of completions that max_tokens truncated',
  operation: 'chat',
  summarize(run) {
    const cut = listSuccessfulResponses(run, 'chat').filter(({ logged: { exchange }, fields }) => {
      const tokens = exchange.events.length > 0 ? measureStream(exchange).tokens : getCompletionTokens(exchange.json)
      return tokens !== undefined && tokens === fields['max_tokens']
    })
    const reasons = cut.map(({ logged: { exchange } }) =>
      exchange.events.length > 0
        ? parseStream(exchange).withChoice.at(-1)?.finishReason
        : getMember(exchange.json, 'choices', 0, 'finish_reason'),
    )
    if (cut.length === 0) return { outcome: expect.markNoEvidence('cut-completion') }
    const shown = [...new Set(reasons.map((reason) => JSON.stringify(reason ?? null)))].sort()
    const outcome = expect.observeFact(
      { kind: 'finish-reasons', reasons: shown.map((text) => createExcerpt(JSON.parse(text))) },
      'completions that max_tokens truncated',
    )
    return { outcome, evidence: cut.slice(0, MAX_EVIDENCE).map(({ logged }) => logged) }
  },
})

export const finishReasonChecks: readonly AnyCheck[] = [finishReasonAtBoundCheck]
