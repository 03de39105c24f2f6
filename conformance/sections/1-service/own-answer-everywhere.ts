import { defineSummaryCheck, type SummaryCheck, MAX_EVIDENCE } from '../../engine/check.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import { CROSS_TALK_CONSEQUENCE, crossTalkChecks } from './cross-talk.ts'
import { readCompletionText } from '../4.2-chat/completion-texts.ts'
import { type LoggedResponse, listSuccessfulResponses } from '../shared/recorded-responses.ts'
import { getRequestText } from '../shared/response-access.ts'

const NO_CROSS_TALK: Expectation = { rule: 'no-cross-talk' }

/** Matches the nonces and tags that identify requests, and other numbers of their length. */
const NONCE = /\bt?[0-9a-f]{8}\b/g

/** Checks that report text of other requests in their own responses. */
const OTHER_CHECKS: ReadonlySet<string> = new Set(crossTalkChecks.map(({ id }) => id))

function noncesOf(text: string): readonly string[] {
  return text.match(NONCE) ?? []
}

/** Returns the messages of a request. Other fields contain no nonces, but the date in a model ID looks like one. */
function promptOf({ fields }: LoggedResponse): string {
  return JSON.stringify(fields['messages'] ?? '')
}

function responseTextOf(response: LoggedResponse): string {
  return `${response.logged.exchange.text}\n${readCompletionText(response)}`
}

/** Searches each completion of the run for the nonces of other requests. */
const ownAnswerEverywhereCheck = defineSummaryCheck({
  id: '1/own-answer-everywhere',
  requirement: '1/cross-talk',
  title: 'returns no completion with the text of another request',
  operation: 'chat',
  summarize(run) {
    const responses = listSuccessfulResponses(run, 'chat').filter(({ logged }) => !OTHER_CHECKS.has(logged.source))
    const readable = responses.filter((response) => readCompletionText(response) !== '')
    if (readable.length === 0) return { outcome: expect.markNoEvidence('recorded-response') }
    const sent = new Set(responses.flatMap((response) => noncesOf(promptOf(response))))
    const foreign = responses.filter((response) => {
      const own = getRequestText(response.logged.exchange)
      return noncesOf(responseTextOf(response)).some((nonce) => sent.has(nonce) && !own.includes(nonce))
    })
    const [first] = foreign
    if (first === undefined) {
      return { outcome: expect.pass(NO_CROSS_TALK, { kind: 'every-response', responses: readable.length }) }
    }
    const params = { position: responses.indexOf(first) + 1, responses: responses.length }
    const outcome = expect.warn(NO_CROSS_TALK, { code: 'cross-talk', params }, CROSS_TALK_CONSEQUENCE)
    return { outcome, evidence: foreign.slice(0, MAX_EVIDENCE).map(({ logged }) => logged) }
  },
})

export const ownAnswerEverywhereChecks: readonly SummaryCheck[] = [ownAnswerEverywhereCheck]
