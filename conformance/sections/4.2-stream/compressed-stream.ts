import { type CheckContext, defineCheck } from '../../engine/check.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { describeUnclear, type Sample, sendStream } from './stream-sample.ts'

/** Header that common client SDKs send, for example the openai SDK for Node.js. */
const ACCEPTED_ENCODINGS = 'gzip, deflate, br'

/** `max_tokens` of the streams. */
const MAX_TOKENS = 128
/** Maximum prompt tokens of one request. */
const PROMPT_TOKENS = 112

const MAX_COMPRESSED = 4
const MAX_UNCOMPRESSED = 3
/** Number of compressed streams that must be buffered, because a delay of the network looks the same in a single one. */
const MIN_BUFFERED = 2

/** Minimum delay of a buffered compressed stream, as a fraction of the time in which an uncompressed one arrives. */
const MIN_DELAY_SHARE = 0.5

const STREAM_PROGRESS: Expectation = { rule: 'stream-progress' }

const CONSEQUENCE =
  'client SDKs accept compressed responses, so they show nothing for a while, then a block of text: exclude text/event-stream from compression (see docs/reference/buffered-streams.md for nginx, Caddy, Apache and Express)'

export const compressedStreamCheck = defineCheck({
  id: '4.2/compressed-stream-progress',
  requirement: '4.2/stream-pace',
  title: 'does not delay the events of a stream by compressing it',
  operation: 'chat',
  cost: {
    requests: MAX_COMPRESSED + MAX_UNCOMPRESSED,
    chatTokens: (MAX_COMPRESSED + MAX_UNCOMPRESSED) * (MAX_TOKENS + PROMPT_TOKENS),
  },
  alone: true,
  async run(context) {
    const first = await sendCompressed(context)
    if (!expect.isServed(first.response)) {
      return expect.checkConvention(first.response, STREAM_PROGRESS, () => undefined, CONSEQUENCE)
    }
    if (first.pattern.events === 0) return expect.markNoEvidence('event-times')
    if (encodingOf(first) === 'identity') return expect.pass(STREAM_PROGRESS, { kind: 'uncompressed-stream' })
    if (first.pattern.kind === 'steady') return passed(first)
    const plain = await findSteadyStream(context)
    return plain === undefined ? describeUnclear([first]) : comparePatterns(context, first, plain)
  },
})

/** Requests streams without compression until the events of one arrive one by one. */
async function findSteadyStream(context: CheckContext): Promise<Sample | undefined> {
  for (let sent = 0; sent < MAX_UNCOMPRESSED; sent += 1) {
    const sample = await sendStream(context, MAX_TOKENS)
    if (sample.pattern.kind === 'steady') return sample
    // The target, or a proxy, sends all streams in this way, which another check reports.
    if (sample.pattern.kind !== 'unclear') return undefined
  }
  return undefined
}

async function comparePatterns(context: CheckContext, first: Sample, plain: Sample): Promise<Outcome> {
  const compressed = [first]
  for (;;) {
    const buffered = compressed.filter((sample) => isBuffered(sample, plain))
    const last = buffered.at(-1)
    if (buffered.length >= MIN_BUFFERED && last !== undefined) return warnAbout(last, plain)
    const steady = compressed.filter(({ pattern: { kind } }) => kind === 'steady')
    if (steady.length >= MIN_BUFFERED && steady[0] !== undefined) return passed(steady[0])
    if (compressed.length === MAX_COMPRESSED) return describeUnclear(compressed)
    compressed.push(await sendCompressed(context))
  }
}

function sendCompressed(context: CheckContext): Promise<Sample> {
  return sendStream(context, MAX_TOKENS, { headers: { 'accept-encoding': ACCEPTED_ENCODINGS } })
}

function encodingOf({ response }: Sample): string {
  return response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
}

function isBuffered(sample: Sample, plain: Sample): boolean {
  const { kind, firstMs } = sample.pattern
  if (kind === 'bursts') return true
  const plainMs = plain.pattern.lastMs - plain.pattern.firstMs
  return kind === 'together' && firstMs - plain.pattern.firstMs >= MIN_DELAY_SHARE * plainMs
}

function passed({ pattern: { events, firstMs, lastMs } }: Sample): Outcome {
  return expect.pass(STREAM_PROGRESS, { kind: 'event-times', events, overMs: Math.ceil(lastMs - firstMs) })
}

function warnAbout(sample: Sample, plain: Sample): Outcome {
  const { events, groups, firstMs, kind } = sample.pattern
  const params = {
    encoding: encodingOf(sample),
    events,
    groups: kind === 'together' ? 1 : groups,
    firstMs: Math.round(firstMs),
    plainFirstMs: Math.round(plain.pattern.firstMs),
  }
  return {
    ...expect.warn(STREAM_PROGRESS, { code: 'compressed-stream-buffered', params }, CONSEQUENCE),
    exchange: sample.response,
  }
}
