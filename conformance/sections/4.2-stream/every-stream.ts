import { type AnyCheck, defineSummaryCheck, MAX_EVIDENCE } from '../../engine/check.ts'
import * as expect from '../../findings/expect.ts'
import type { Deviation } from '../../findings/families.ts'
import { findConsequence, findRepeatedText, STREAM_CONVENTIONS, type StreamConvention } from './stream-conventions.ts'
import { findFirstDeviation, findTypeDeviation } from '../shared/fields.ts'
import { calculateShare, type LoggedResponse, listSuccessfulResponses } from '../shared/recorded-responses.ts'
import { getMember } from '../shared/response-access.ts'
import { parseStream } from '../shared/stream.ts'

type Convention = Pick<StreamConvention, 'expected' | 'consequence' | 'consequences' | 'find'>

const CREATED: Convention = {
  expected: { field: 'created', type: 'unix-seconds' },
  consequence:
    'the Vercel AI SDK reads created as seconds: it reports a wrong time of the response, or rejects a chunk whose created is no number',
  find: (response) =>
    findFirstDeviation(
      parseStream(response)
        .chunks.filter(({ json }) => (getMember(json, 'created') ?? undefined) !== undefined)
        .map(({ json }) => findTypeDeviation(json, ['created'], 'unix-seconds')),
    ),
}

/** Text that only some streams repeat. `4.2/content-text` evaluates a plain stream. */
const REPEATED_TEXT: Convention = {
  expected: { rule: 'content-text' },
  consequence: 'clients that append delta.content show parts of the text several times',
  find: findRepeatedText,
}

const CONVENTIONS: readonly Convention[] = [
  ...STREAM_CONVENTIONS.filter(({ isOfPlainStreams }) => isOfPlainStreams !== true),
  CREATED,
  REPEATED_TEXT,
]

interface Deviating {
  readonly convention: Convention
  readonly deviation: Deviation
  readonly responses: readonly LoggedResponse[]
}

/** Returns whether a response is a complete stream of a valid request, or of one that differs only by its options. */
function isWholeStream({ logged: { kind, exchange }, fields }: LoggedResponse): boolean {
  const isWhole = parseStream(exchange).chunks.length > 0 && exchange.wasAborted !== true
  const hasOptions = kind === 'unspecified' && fields['stream_options'] !== undefined
  return (kind === 'valid' || hasOptions) && fields['stream'] === true && isWhole
}

/** Finds streams that deviate from a convention. If all of them do, another check reports it. */
function findSome(convention: Convention, streams: readonly LoggedResponse[]): Deviating | undefined {
  const found = streams.map((response) => ({ response, deviation: convention.find(response.logged.exchange) }))
  const deviating = found.filter(({ deviation }) => deviation !== undefined)
  const deviation = deviating[0]?.deviation
  if (deviation === undefined || (deviating.length === streams.length && convention !== CREATED)) return undefined
  return { convention, deviation, responses: deviating.map(({ response }) => response) }
}

/**
 * Evaluates all streams of the run, because a target may send only some of them in another form, for example those of
 * one model. Deviations of all streams belong to the checks of single conventions, except the time of chunks.
 */
const streamFormEverywhereCheck = defineSummaryCheck({
  id: '4.2/stream-form-everywhere',
  requirement: '4.2/stream-habits',
  title: 'sends every stream in the form that client SDKs expect, if it sends any stream in this form',
  operation: 'chat',
  summarize(run) {
    const streams = listSuccessfulResponses(run, 'chat').filter(isWholeStream)
    if (streams.length === 0) return { outcome: expect.markNoEvidence('recorded-stream') }
    const deviating = CONVENTIONS.flatMap((convention) => findSome(convention, streams) ?? [])
    const most = Math.max(...deviating.map(({ responses }) => responses.length))
    const first = deviating.find(({ responses }) => responses.length === most)
    if (first === undefined) {
      return { outcome: expect.pass({ rule: 'stream-form' }, { kind: 'every-response', responses: streams.length }) }
    }
    const { convention, deviation, responses } = first
    const outcome = expect.warn(convention.expected, deviation, findConsequence(convention, deviation))
    return {
      outcome: expect.addDifference(calculateShare(responses, streams), outcome),
      evidence: responses.slice(0, MAX_EVIDENCE).map(({ logged }) => logged),
    }
  },
})

export const everyStreamChecks: readonly AnyCheck[] = [streamFormEverywhereCheck]
