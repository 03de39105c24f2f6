import {
  type Check,
  type CheckContext,
  defineCheck,
  calculateMaxCost,
  defineSummaryCheck,
  MAX_EVIDENCE,
} from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import { isStaleConnectionError } from '../../http/breakdown.ts'
import { createKeepAliveConnection } from '../../http/keep-alive-connection.ts'
import * as expect from '../../findings/expect.ts'
import type { Deviation } from '../../findings/families.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { Outcome } from '../../findings/outcome.ts'
import type { StreamEnd } from '../../findings/streams.ts'
import { findMissingEvents, findStreamErrorDeviation } from '../4.2-stream/chat-stream.ts'
import { ParallelGroup } from '../../requests/parallel-group.ts'
import { parseStream } from '../shared/stream.ts'
import { readCompletionText } from '../4.2-chat/completion-texts.ts'
import { type LoggedResponse, listSuccessfulResponses } from '../shared/recorded-responses.ts'
import { getRequestText } from '../shared/response-access.ts'

/** Number of parallel streams: enough for the target to share pooled connections, and few enough for a test account. */
const PARALLEL_STREAMS = 16

/** Matches the only message of a request, and captures its nonce. */
export const NONCE_PATTERN = /"Repeat: (t[0-9a-f]{8})"/

export const CROSS_TALK_CONSEQUENCE = 'one customer receives text of another'

const NO_CROSS_TALK: Expectation = { rule: 'no-cross-talk' }

interface MarkedResponse {
  readonly nonce: string
  readonly response: Exchange
}

async function sendMarked(context: CheckContext, nonce: string, options: { readonly stream: boolean }, keep = {}) {
  const messages = [{ role: 'user', content: `Repeat: ${nonce}` }]
  return { nonce, response: await context.chat({ messages, ...options }, keep) }
}

/** Sends a single stream, then parallel streams, unless another check has sent them and the target served all. */
async function sendStreams(context: CheckContext): Promise<readonly MarkedResponse[]> {
  const send = async (): Promise<readonly Exchange[]> => {
    const single = await sendMarked(context, context.nonce(), { stream: true })
    const nonces = Array.from({ length: PARALLEL_STREAMS }, () => context.nonce())
    const group = new ParallelGroup(PARALLEL_STREAMS)
    const parallel = await Promise.all(nonces.map((nonce) => sendMarked(context, nonce, { stream: true }, { group })))
    return [single, ...parallel].map(({ response }) => response)
  }
  const responses = await context.share('parallel streams', { send, isUseful: (all) => all.every(expect.isServed) })
  return responses.map((response) => ({ nonce: nonceOf(response), response }))
}

function nonceOf({ request }: Exchange): string {
  return NONCE_PATTERN.exec(Buffer.from(request.body ?? []).toString('utf8'))?.[1] ?? ''
}

/** Returns the text of a response: its body, followed by the joined deltas if it is a stream. */
function textOf({ response }: MarkedResponse): string {
  const deltas = parseStream(response).withChoice.map(({ content }) => (typeof content === 'string' ? content : ''))
  return `${response.text}\n${deltas.join('')}`
}

/**
 * Finds a response that contains the nonce of another request. Returns undefined if there is none. Equal ids prove no
 * cross-talk, because a target may draw them from a small range. `2.3/ids-differ` reports them.
 */
function findCrossTalk(marked: readonly MarkedResponse[]): Deviation | undefined {
  const index = marked.findIndex((one) => {
    const text = textOf(one)
    return marked.some(({ nonce }) => nonce !== one.nonce && text.includes(nonce))
  })
  return index < 0 ? undefined : { code: 'cross-talk', params: { position: index + 1, responses: marked.length } }
}

export const streamsServedCheck = defineCheck({
  id: '4.2/streams-at-once',
  requirement: '4.2/answer-with-stream',
  title: `serves each of ${PARALLEL_STREAMS} parallel streams`,
  operation: 'chat',
  cost: calculateMaxCost('chat', PARALLEL_STREAMS + 1),
  alone: true,
  async run(context) {
    const expected: Expectation = { rule: 'stream-of-events' }
    const streams = await sendStreams(context)
    // The first stream ran alone.
    const shown = streams.slice(0, 1).some(({ response }) => expect.isServed(response))
      ? { parallel: PARALLEL_STREAMS }
      : {}
    const outcomes = streams.slice(1).map(({ response }) => {
      // `7/rejected-in-parallel` reports responses without a result.
      if (expect.lacksResult(response)) {
        return expect.markNotTestable({ code: 'request-not-served', params: expect.getResultParams(response) })
      }
      const error = findStreamErrorDeviation(response)
      return error === undefined
        ? expect.checkResponse(response, expected, findMissingEvents)
        : { ...expect.fail(expected, error), exchange: response, ...shown }
    })
    const bad = outcomes.find(({ verdict }) => verdict === 'fail') ?? outcomes.find(({ verdict }) => verdict !== 'pass')
    if (bad !== undefined) return expect.addDifference({ parallel: PARALLEL_STREAMS }, bad)
    // `1/own-answer` reports a stream that was cut.
    const cut = findCutStream(streams)
    return cut === undefined
      ? expect.pass(expected, { kind: 'all-streams', streams: PARALLEL_STREAMS })
      : expect.markNotTestable({ code: 'plain-response-deviates', params: { deviation: cut } })
  },
})

function endOf(response: Exchange): StreamEnd {
  const { done, withChoice } = parseStream(response)
  return { finishReason: typeof withChoice.at(-1)?.finishReason === 'string', done: done !== undefined }
}

/** Finds a parallel stream without the end of the first one, which ran alone. One with a finish_reason is complete. */
function findCutStream(streams: readonly MarkedResponse[]): Deviation | undefined {
  const [singleEnd, ...ends] = streams.map(({ response }) => endOf(response))
  if (singleEnd === undefined) return undefined
  const end = ends.find(
    ({ finishReason, done }) => !finishReason && (singleEnd.finishReason || (singleEnd.done && !done)),
  )
  return end === undefined ? undefined : { code: 'stream-cut', params: { end, singleEnd } }
}

export const ownResponseCheck = defineCheck({
  id: '1/own-answer',
  requirement: '1/cross-talk',
  title: `completes each of ${PARALLEL_STREAMS} parallel streams, without text from another stream`,
  operation: 'chat',
  cost: calculateMaxCost('chat', PARALLEL_STREAMS + 1),
  alone: true,
  async run(context) {
    const streams = await sendStreams(context)
    const outcome = expectOwnResponses(streams)
    if (outcome.verdict !== 'pass') return { ...outcome, parallel: PARALLEL_STREAMS }
    const cut = findCutStream(streams)
    if (cut === undefined) return outcome
    const consequence =
      'under load, clients treat a truncated completion as complete, or throw because there is no finish_reason'
    const warning = expect.warn({ rule: 'stream-ends-alike' }, cut, consequence)
    return expect.addDifference({ parallel: PARALLEL_STREAMS }, { ...warning, parallel: PARALLEL_STREAMS })
  },
})

/** Maximum number of requests of {@link sendOnOneConnection}. */
export const MAX_ON_ONE_CONNECTION = 5

export const ownResponseKeepAliveCheck = defineCheck({
  id: '1/own-answer-kept',
  requirement: '1/cross-talk',
  title: 'gives each request on a keep-alive connection its own response',
  operation: 'chat',
  cost: calculateMaxCost('chat', MAX_ON_ONE_CONNECTION),
  alone: true,
  async run(context) {
    const sent = await sendOnOneConnection(context)
    const served = sent.filter((response) => !isStaleConnectionError(response))
    return expectOwnResponses(served.map((response) => ({ nonce: nonceOf(response), response })))
  },
})

/**
 * Sends a stream, a chat and another stream on one connection, and returns all responses. Like other clients, repeats a
 * request on a new connection if the target has closed the old one. If another check has already sent them, returns
 * those responses.
 */
export function sendOnOneConnection(context: CheckContext): Promise<readonly Exchange[]> {
  const send = async (): Promise<readonly Exchange[]> => {
    const connection = createKeepAliveConnection()
    const sent: Exchange[] = []
    for (const stream of [true, false, true]) {
      const sendOne = () => sendMarked(context, context.nonce(), { stream }, { connection })
      const { response } = await sendOne()
      sent.push(response)
      if (isStaleConnectionError(response)) sent.push((await sendOne()).response)
    }
    connection.close()
    return sent
  }
  return context.share('one connection', { send, isUseful: (all) => all.some(expect.isServed) })
}

function expectOwnResponses(marked: readonly MarkedResponse[]): Outcome {
  const unserved = marked.find(({ response }) => !expect.isServed(response)) ?? marked[0]
  if (unserved === undefined) return expect.markNoEvidence('request')
  return expect.checkConvention(unserved.response, NO_CROSS_TALK, () => findCrossTalk(marked), CROSS_TALK_CONSEQUENCE)
}

export const crossTalkChecks: readonly Check[] = [streamsServedCheck, ownResponseCheck, ownResponseKeepAliveCheck]

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
export const ownAnswerEverywhereCheck = defineSummaryCheck({
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
