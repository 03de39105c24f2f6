import { fingerprintSecret } from '../../../common/secrets/fingerprint.ts'
import * as expect from '../../findings/expect.ts'
import type { Outcome } from '../../findings/outcome.ts'
import type { BothEnds, Seen, Trial } from '../../upstream/both-ends.ts'
import {
  asWarning,
  defineGatewayCheck,
  failFor,
  isServedThrough,
  judge,
  markUnserved,
  observeServed,
} from './define-check.ts'
import { ACCEPTS_COMPRESSION, isStream, readText, readUpstreamUsage, readUsage } from './read-response.ts'
import { ABORT_DEADLINE_MS, ABORT_IN_STREAM_MS, SLOW_RESPONSE, SLOW_STREAM } from './slots.ts'
import { selectCounts } from './usage.ts'

const PARALLEL_REQUESTS = 50
/** A Chinese character. */
const FIRST_SIGN = 0x4e00

/** Half of the requests are streams, and every fifth gets an error. The delays make all of them open at once. */
function buildMarkedTrial(mark: string, index: number): Trial {
  const stream = index % 2 === 0
  if (isError(index)) {
    const error = { message: `${mark} ${signOf(index)}`, type: 'invalid_request_error', param: null, code: null }
    return { respond: { status: 400, body: { error }, fault: { delayMs: 450 } }, fields: () => ({ stream }) }
  }
  return {
    respond: { text: `${mark} ${signOf(index).repeat(index + 5)} ${mark}`, fault: { delayMs: 400, itlMs: 15 } },
    fields: () => ({ max_tokens: 1000, ...(stream ? { stream, stream_options: { include_usage: true } } : {}) }),
  }
}

function isError(index: number): boolean {
  return index % 10 === 3 || index % 10 === 8
}

/** Returns a character that only the response to one of the parallel requests contains, so that each token shows its origin. */
function signOf(index: number): string {
  return String.fromCodePoint(FIRST_SIGN + index)
}

function isMixed(seen: Seen, all: readonly Seen[], marks: readonly string[]): boolean {
  const own = all.indexOf(seen)
  const usage = JSON.stringify(selectCounts(readUsage(seen.client)))
  const usages = all.map(({ upstream }) => JSON.stringify(selectCounts(upstream[0] && readUpstreamUsage(upstream[0]))))
  const isForeignUsage = usage !== undefined && usage !== usages[own] && usages.includes(usage)
  const text = readText(seen.client) ?? ''
  const isForeign = (mark: string, index: number): boolean =>
    index !== own && (seen.client.text.includes(mark) || text.includes(signOf(index)))
  return isForeignUsage || marks.some(isForeign)
}

export const isolationChecks = [
  defineGatewayCheck({
    id: 'gateway/isolation',
    requirement: 'gateway/isolation',
    title: 'keeps the responses to parallel requests apart',
    alone: true,
    requests: PARALLEL_REQUESTS,
    async run(ends) {
      const marks = Array.from({ length: PARALLEL_REQUESTS }, () => `w${ends.nonce()}`)
      const all = await ends.sendAll(marks.map(buildMarkedTrial))
      const mixed = all.filter((seen) => isMixed(seen, all, marks))
      const [first] = mixed
      if (first !== undefined) {
        const params = { responses: mixed.length, of: all.length, isStream: isStream(first.client) }
        return failFor(ends, first, { rule: 'no-cross-talk' }, { code: 'gateway-mixed', params })
      }
      const unserved = all.find((seen, index) => !isError(index) && !isServedThrough(seen))
      return unserved === undefined ? expect.pass({ rule: 'no-cross-talk' }) : markUnserved(unserved)
    },
  }),
]

/** Time in which gateways send a failed request again, in milliseconds. */
const RETRY_MS = 1500

/** Sends a request that the client aborts, and again if the abort arrived too late, as on a busy machine. */
async function judgeAbort(ends: BothEnds, trial: Trial, isStreamed: boolean): Promise<Outcome> {
  const first = await abort(ends, trial)
  const seen = isKept(first) ? await abort(ends, trial) : first
  const [request] = seen.upstream
  if (request === undefined) return markUnserved(seen)
  if (!seen.wasAborted) return expect.markNoEvidence('event-times')
  // A gateway may send the aborted request again.
  if (!isKept(seen)) await ends.pause(RETRY_MS)
  const arrivals = isKept(seen) ? 1 : await ends.countArrivals(seen)
  if (!isKept(seen) && arrivals <= seen.upstream.length) return expect.pass({ rule: 'upstream-aborted' })
  const params = { isStream: isStreamed, tokens: request.tokens, ...(arrivals > 1 ? { arrivals } : {}) }
  const outcome = failFor(ends, seen, { rule: 'upstream-aborted' }, { code: 'gateway-kept-running', params })
  return asWarning(outcome, 'The operator pays for responses that no client reads.')
}

/** Sends a request that the client aborts, and waits until the upstream has ended it. */
async function abort(ends: BothEnds, trial: Trial): Promise<Seen> {
  const seen = await ends.send(trial)
  const { control } = ends.run
  await ends.waitUntil(async () => (await control.requestsOf(seen.fixture)).length > 0, ABORT_DEADLINE_MS)
  return ends.lookAgain(seen)
}

function isKept({ wasAborted, upstream }: Seen): boolean {
  return wasAborted && upstream[0]?.clientLeft === false
}

export const abortChecks = [
  defineGatewayCheck({
    id: 'gateway/abort-stream',
    requirement: 'gateway/abort',
    title: 'aborts the upstream stream when the client disconnects',
    requests: 2,
    async run(ends) {
      const fields = () => ({ stream: true, max_tokens: 100 })
      return judgeAbort(ends, { respond: SLOW_STREAM, fields, abortAfterArrivalMs: ABORT_IN_STREAM_MS }, true)
    },
  }),
  defineGatewayCheck({
    id: 'gateway/abort-waiting',
    requirement: 'gateway/abort',
    title: 'aborts the upstream request when the client disconnects before the response',
    requests: 2,
    run: async (ends) => judgeAbort(ends, { respond: SLOW_RESPONSE, abortAfterArrivalMs: 0 }, false),
  }),
]

const PACE_ITL_MS = 250

/**
 * Returns whether most events arrived late by more than half of the interval at which the upstream sends them. The event
 * with the least delay is the measure. On a busy machine, single events are late, but not most of them. If the gateway
 * combined events, returns whether they arrived within half of the time in which the upstream sent them.
 */
function isHeldBack(arrivedMs: readonly number[], writtenMs: readonly number[]): boolean {
  if (arrivedMs.length !== writtenMs.length) return measureSpan(arrivedMs) < measureSpan(writtenMs) / 2
  const delaysMs = arrivedMs.map((atMs, index) => atMs - (writtenMs[index] ?? 0)).toSorted((a, b) => a - b)
  const medianMs = delaysMs[Math.floor(delaysMs.length / 2)] ?? 0
  return medianMs - (delaysMs[0] ?? 0) > PACE_ITL_MS / 2
}

function measureSpan(timesMs: readonly number[]): number {
  return (timesMs.at(-1) ?? 0) - (timesMs[0] ?? 0)
}

async function judgePace(ends: BothEnds, trial: Trial): Promise<Outcome> {
  const seen = await ends.send(trial)
  const request = seen.upstream.at(-1)
  const writtenMs = request === undefined ? [] : await ends.run.control.readTimesMs(request.id)
  return judge(ends, [seen], { rule: 'event-by-event' }, ({ client }) => {
    const arrivedMs = client.events.map(({ atMs }) => atMs)
    const isHeld = isHeldBack(arrivedMs, writtenMs)
    return isHeld ? { code: 'gateway-held-back', params: { events: arrivedMs.length } } : undefined
  })
}

function definePaceCheck(id: string, title: string, headers: Readonly<Record<string, string>>) {
  return defineGatewayCheck({
    id,
    requirement: 'gateway/pace',
    title,
    alone: true,
    requests: 2,
    async run(ends) {
      const trial: Trial = {
        respond: { text: 'one two three four five six.', fault: { itlMs: PACE_ITL_MS } },
        fields: () => ({ stream: true, max_tokens: 100 }),
        headers,
      }
      const first = await judgePace(ends, trial)
      // On a busy machine, events can be late for another reason, but not twice.
      const outcome = first.verdict === 'fail' ? await judgePace(ends, trial) : first
      return asWarning(
        outcome,
        'Users see text later than the model writes it. If the gateway buffers, they see none until the end.',
      )
    },
  })
}

export const paceChecks = [
  definePaceCheck('gateway/pace', 'forwards each event of a stream when it arrives', {}),
  definePaceCheck(
    'gateway/pace-compressed',
    'forwards each event of a stream when it arrives, also if the client accepts compression',
    ACCEPTS_COMPRESSION,
  ),
  defineGatewayCheck({
    id: 'gateway/heartbeats',
    requirement: 'gateway/heartbeats',
    title: 'heartbeats of the upstream during a silence',
    requests: 1,
    async run(ends) {
      const options = { heartbeat: 'comment', 'heartbeat-ms': 250 }
      const respond = { text: 'one.', options, fault: { itlMs: 600 } }
      const seen = await ends.send({ respond, fields: () => ({ stream: true }) })
      return observeServed([seen], () => ({ comments: describeComments(seen) }))
    },
  }),
]

function describeComments({ client, upstream }: Seen): string {
  const sent = new Set(listComments(upstream.at(-1)?.bodies?.response ?? ''))
  const arrived = listComments(client.text)
  if (arrived.some((comment) => !sent.has(comment))) return "the gateway's own"
  return arrived.length > 0 ? 'forwarded' : 'dropped'
}

function listComments(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/).filter((line) => line.startsWith(':'))
}

/** Words that may be a key: a fingerprint identifies the upstream's key among them. */
const KEY_LIKE = /[\w-]{16,}/g

function findLeaks(ends: BothEnds, ownKey: string) {
  const host = new URL(ends.run.control.url).host
  const ownFingerprint = fingerprintSecret(ownKey)
  const fingerprints = new Set(
    ends.run.seen.flatMap(({ upstream }) => upstream.flatMap((one) => one.keyFingerprint ?? [])),
  )
  fingerprints.delete(ownFingerprint)
  const containsKey = (text: string): boolean =>
    (text.match(KEY_LIKE) ?? []).some((word) => fingerprints.has(fingerprintSecret(word)))
  return { containsKey, containsAddress: (text: string): boolean => text.includes(host) }
}

function judgeLeaks(ends: BothEnds, contains: (text: string) => boolean, secret: 'key' | 'address'): Outcome {
  const responses = ends.run.seen.filter(({ trial }) => trial.operation !== 'images')
  for (const seen of responses) {
    const { headers, text, status: actualStatus } = seen.client
    const header = Object.entries(headers).find(([, value]) => contains(value))?.[0]
    if (header === undefined && !contains(text)) continue
    const where = header === undefined ? { place: 'body' as const } : { place: 'header' as const, header }
    const params = { secret, actualStatus, ...where }
    return failFor(ends, seen, { rule: 'upstream-hidden' }, { code: 'gateway-leaked', params })
  }
  return expect.pass({ rule: 'upstream-hidden' }, { kind: 'every-response', responses: responses.length })
}

/** Checks of all requests of the run. They come last. */
export const runChecks = [
  defineGatewayCheck({
    id: 'gateway/once',
    requirement: 'gateway/once',
    title: 'sends each served request to the upstream once',
    alone: true,
    requests: 1,
    async run(ends) {
      await ends.waitUntil(() => ends.run.control.isIdle(), ABORT_DEADLINE_MS)
      const sentTwice: Seen[] = []
      const known = new Set<string>()
      const complete = ends.run.seen.filter((seen) => isServedThrough(seen) && !('attempts' in seen.trial.respond))
      for (const seen of complete) {
        const times = ends.run.seen.filter(({ fixture }) => fixture === seen.fixture).length
        if (known.has(seen.fixture)) continue
        known.add(seen.fixture)
        const later = await ends.lookAgain(seen)
        if (later.upstream.length > times && later.upstream.every(({ status }) => status === 200)) sentTwice.push(later)
      }
      const [first] = sentTwice
      if (first === undefined)
        return expect.pass({ rule: 'one-upstream-request' }, { kind: 'every-response', responses: known.size })
      const params = { requests: sentTwice.length, of: known.size, times: first.upstream.length }
      return failFor(ends, first, { rule: 'one-upstream-request' }, { code: 'gateway-sent-again', params })
    },
  }),
  defineGatewayCheck({
    id: 'gateway/upstream-key',
    requirement: 'gateway/upstream-key',
    title: "keeps the upstream's key from the client",
    alone: true,
    requests: 1,
    run: async (ends, { keys }) => judgeLeaks(ends, findLeaks(ends, keys.funded).containsKey, 'key'),
  }),
  defineGatewayCheck({
    id: 'gateway/upstream-address',
    requirement: 'gateway/upstream-address',
    title: "keeps the upstream's address from the client",
    alone: true,
    requests: 1,
    async run(ends, { keys }) {
      const outcome = judgeLeaks(ends, findLeaks(ends, keys.funded).containsAddress, 'address')
      return asWarning(outcome, 'Clients learn an address of the internal network.')
    },
  }),
]
