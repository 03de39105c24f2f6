import { parseJson } from '../../http/decode-body.ts'
import type { Deviation, Outcome } from '../outcome.ts'
import type { MissingEvidence } from '../missing-evidence.ts'
import { findAgentCauses } from './agent-causes.ts'
import { fieldCauses } from './field-causes.ts'
import { createPossibleCause, type CheckFinding, type PossibleCause } from './finding.ts'
import { BOUND } from './bound-cause.ts'
import { chooseCommand, preferSection } from './choose-command.ts'
import { errorBodyCauses, errorTypeCause, isAboutErrorBody } from './error-body-causes.ts'
import { createImageCause, lacksImageUrl, listMissingImageCauses, listUnreadableImageCauses } from './image-causes.ts'
import { createNoResultCause, hasResult } from './no-result-cause.ts'
import { hasNoResult, isRule, type RunFacts } from './run-facts.ts'
import { SPEECH } from './speech-cause.ts'
import { createStreamCause, createTruncationCause, isAboutStreamEnd } from './stream-causes.ts'
import {
  concernsStream,
  describeMediaType,
  detectErrorFormat,
  detectResponseFormat,
  getMember,
  isPlural,
  RESULT_NAMES,
} from './title-parts.ts'

/** Returns the possible causes of a finding about the content of a response. */
export function findResponseCauses(finding: CheckFinding, run: RunFacts): PossibleCause[] {
  if (hasNoResult(finding)) {
    return [
      ...listMissingStreamCauses(finding),
      ...formatCauses(finding),
      createNoResultCause(finding.operation),
      ...(finding.operation === 'speech' ? [SPEECH] : []),
    ]
  }
  return [
    ...findMislabelledStreamCauses(finding),
    ...findUnrequestedStreamCauses(finding),
    ...findContentCauses(finding, run),
  ]
}

/** Returns the possible cause that the suite found no chunks in a stream because of its media type. */
function findMislabelledStreamCauses(finding: CheckFinding): PossibleCause[] {
  const isMislabelled = concernsStream(finding) && isLabelledStream(finding) && mediaTypeOf(finding) !== EVENT_STREAM
  return isMislabelled && detectResponseFormat(finding.entry) !== 'a stream' ? [streamLabel(mediaTypeOf(finding))] : []
}

function findContentCauses(finding: CheckFinding, run: RunFacts): PossibleCause[] {
  const { outcome, entry } = finding
  if (outcome.code === 'plain-response-deviates')
    return addNoResult(
      [...findAgentCauses(outcome), ...deviationCauses(outcome.params.deviation, finding)],
      finding,
      run,
    )
  if (outcome.code === 'plain-stream-is-none') return streamTypeCauses(outcome.params.actualMediaType, finding)
  if (outcome.code === 'no-evidence') return missingEvidenceCauses(outcome.params.missing, finding, run)
  if (outcome.code === 'limit-not-reached') return [RATE_LIMIT]
  if (outcome.code === 'image-unreadable') return listUnreadableImageCauses(outcome.params.problem)
  if (outcome.code === 'image-not-served') return listMissingImageCauses(run)
  if (entry.verdict === 'not-testable') return []
  const agentCauses = findAgentCauses(outcome)
  const ofContent = agentCauses.length > 0 ? agentCauses : deviationCauses(outcome, finding)
  const isTruncated = run.truncatedStreams !== undefined && isAboutStreamEnd(outcome)
  const found = isTruncated ? [...ofContent, run.truncatedStreams] : ofContent
  if (outcome.code === 'wrong-body' && found.length === 0 && run.withoutResult.has(finding.operation))
    return [createNoResultCause(finding.operation)]
  return isAboutErrorBody(outcome) ? found : addNoResult(found, finding, run)
}

/** Returns the possible cause of a response to a request for a stream that contains no events. */
function listMissingStreamCauses(finding: CheckFinding): PossibleCause[] {
  if (!concernsStream(finding)) return []
  return streamTypeCauses(mediaTypeOf(finding), finding)
}

/** Returns whether the last success has the text of a stream, but the media type of something else. */
function isLabelledStream(finding: CheckFinding): boolean {
  return /^(?:data|event|id|retry|):/m.test(findLastSuccess(finding)?.body.slice(0, 100) ?? '')
}

/** Returns the possible cause that the target streams although the request does not set `stream` to true. */
function findUnrequestedStreamCauses(finding: CheckFinding): PossibleCause[] {
  if (finding.operation !== 'chat' || !isAboutStream(finding)) return []
  const request = parseJson(finding.entry.evidence?.at(-1)?.request.body ?? '')
  if (typeof request !== 'object' || request === null || getMember(request, 'stream') === true) return []
  return [UNREQUESTED_STREAM]
}

const UNREQUESTED_STREAM: PossibleCause = {
  ...createPossibleCause('unrequested stream', 'Requests without `stream: true` get a stream instead of JSON'),
  // The sentences of section 2.3 describe only the fields of the missing result.
  command: (members) => chooseCommand(preferSection(members, '4.2')),
}

/** Adds the possible cause that the operation responds without results, if it does and there are other causes. */
function addNoResult(causes: PossibleCause[], finding: CheckFinding, run: RunFacts): PossibleCause[] {
  const isPossible = causes.length > 0 && run.withoutResult.has(finding.operation) && !hasResult(finding)
  return isPossible ? [...causes, createNoResultCause(finding.operation)] : causes
}

function deviationCauses(deviation: Deviation | Outcome, finding: CheckFinding): PossibleCause[] {
  const { outcome, operation } = finding
  switch (deviation.code) {
    case 'unexpected-media-type':
      return mediaTypeCauses(deviation.params.actualMediaType, finding)
    case 'missing-field':
    case 'wrong-type':
    case 'wrong-value':
    case 'wrong-count':
      if (operation === 'images' && lacksImageUrl(deviation)) return [createImageCause('no-url')]
      if (isRule(outcome, 'prompt-tokens'))
        return [createPossibleCause('prompt tokens', 'Completions of prompts with text report 0 `prompt_tokens`')]
      if (isRule(outcome, 'usage-adds-up') || isUsageSum(deviation)) return [usageSum(isAboutStream(finding))]
      if (isRule(outcome, 'image-url-address') && deviation.code === 'wrong-value')
        return [createImageCause('outside-base-address')]
      if (deviation.code === 'wrong-value' && deviation.params.lacks === 'extension')
        return [createImageCause('no-extension')]
      if (deviation.code === 'wrong-value' && deviation.params.path.endsWith('.url'))
        return [createImageCause('outside-base-address')]
      if (deviation.code === 'wrong-count' && isNumberOfImages(outcome)) return [IMAGE_COUNT]
      return isAboutErrorBody(outcome)
        ? errorBodyCauses(deviation.params.path, finding)
        : [...formatCauses(finding), ...fieldCauses(operation, deviation.params.path, isAboutStream(finding))]
    case 'duplicate-value':
      // If the duplicate value is null, the field is missing.
      return deviation.params.actual === null ? fieldCauses(operation, deviation.params.path, false) : [SAME_ID]
    case 'model-listed-again':
      return [createPossibleCause('model listed again', 'The list of models contains the same ID more than once')]
    case 'wrong-body':
      return isAboutErrorBody(outcome) ? errorBodyCauses('error', finding) : bodyCauses(finding)
    case 'stream-malformed':
      if (isMisspelledDone(deviation)) return [createStreamCause('no-done'), createStreamCause('not-json')]
      return deviation.params.problem === 'no-events' || deviation.params.problem === 'no-chunks'
        ? streamTypeCauses(mediaTypeOf(finding), finding)
        : [createStreamCause(deviation.params.problem)]
    case 'error-in-stream':
      return [createPossibleCause('error in stream', 'Valid requests for streams get an event that reports an error')]
    case 'mp3-malformed':
      return [...formatCauses(finding), SPEECH]
    case 'wrong-image':
      return [createImageCause(deviation.params.problem)]
    case 'stream-in-bursts':
    case 'stream-held-back':
    case 'stream-later-than-plain':
      return [createPossibleCause('buffered', 'Streams are buffered: their events arrive in groups or all at the end')]
    case 'compressed-stream-buffered':
      return [
        createPossibleCause('buffered compressed', 'Compressed streams are buffered, but uncompressed ones are not'),
      ]
    case 'streams-timed-out':
    case 'streams-without-end':
      return [createTruncationCause(deviation)].filter((cause) => cause !== undefined)
    case 'text-exceeds-bound':
    case 'bound-exceeded':
      return [BOUND]
    case 'wrong-charge':
      return [CHARGES]
    case 'sdk-differs':
      return [createPossibleCause('sdk', 'The openai SDK does not return the content of the response')]
    case 'sdk-error-differs':
      return [createPossibleCause('sdk errors', 'The openai SDK does not show the error message of the target')]
    case 'limit-not-enforced':
      return [RATE_LIMIT]
    case 'words-lost':
      return [createPossibleCause('words lost', 'Streams lack words of the completion')]
    case 'balance-exceeded':
      return [createPossibleCause('balance', 'Parallel chats spend more credits than the account has'), CHARGES]
    case 'cross-talk':
      return deviation.params.of === 'id'
        ? [SAME_ID]
        : [createPossibleCause('cross-talk', 'Responses contain the text of other requests')]
    default:
      return []
  }
}

/**
 * Returns the possible causes of missing evidence: a missing or wrong `usage`, truncated streams, or a rate limit that no
 * response shows.
 * Returns an empty array for other evidence.
 */
function missingEvidenceCauses(missing: MissingEvidence, finding: CheckFinding, run: RunFacts): PossibleCause[] {
  const { operation } = finding
  if (missing === 'usage') return fieldCauses(operation, 'usage', false)
  if (missing === 'completion-id') return fieldCauses(operation, 'id', false)
  if (missing === 'token-count')
    return [createPossibleCause('zero tokens', 'Completions that contain text report 0 `completion_tokens`')]
  if (missing === 'recognizable-end' && run.truncatedStreams !== undefined) return [run.truncatedStreams]
  return missing === 'limited-response' ? [RATE_LIMIT] : []
}

const CHARGES: PossibleCause = {
  key: 'charges',
  title: (members) => {
    const models = members.flatMap(({ entry }) => /^2\.1\/price-(.+)$/.exec(entry.id)?.[1] ?? [])
    if (models.length === 1) return `Chats with \`${models.join('')}\` are not charged at the price of the table`
    const isOfStreams = models.length === 0 && members.some(({ entry }) => entry.id === '8/stream-price')
    return `${isOfStreams ? 'Streams' : 'Chats'} are not charged at the price of the table`
  },
}

const SAME_ID = createPossibleCause('same id', 'Several completions have the same id')

/** Possible cause: the target does not enforce a declared limit, or a burst did not exceed a limit. */
const RATE_LIMIT: PossibleCause = {
  key: 'rate limit',
  title: (members) => {
    const [first, ...others] = new Set(members.map(({ entry }) => entry.actual))
    if (members.some(({ entry }) => entry.verdict === 'fail'))
      return 'The rate limit of the limited key is not enforced'
    return first !== undefined && others.length === 0 ? first.replace(/\.$/, '') : 'No request of the burst got a 429'
  },
}

/** Returns whether a deviation concerns the sum of the token counts. Other deviations of usage name one count. */
function isUsageSum({ code, params }: Deviation | Outcome): boolean {
  return code === 'wrong-value' && 'path' in params && params.path === 'usage'
}

function usageSum(isStream: boolean): PossibleCause {
  const subject = isStream ? 'streams' : 'chat completions'
  return createPossibleCause(
    `usage sum ${subject}`,
    `\`total_tokens\` of ${subject} is not the sum of \`prompt_tokens\` and \`completion_tokens\``,
  )
}

const IMAGE_COUNT = createPossibleCause('image count', 'Image results do not contain `n` images')

/** Returns whether a finding concerns the number of images in a result that contains at least one. */
function isNumberOfImages({ code, expected, params }: Outcome): boolean {
  const isAboutImages =
    expected !== undefined && 'field' in expected && expected.field === 'data' && 'count' in expected
  return code === 'wrong-count' && isAboutImages && 'actualCount' in params && params.actualCount > 0
}

/**
 * Returns the possible cause that responses have a format other than JSON or MP3, e.g. `Responses are HTML instead of
 * JSON`.
 */
function formatCauses(finding: CheckFinding): PossibleCause[] {
  const format = detectResponseFormat(finding.entry)
  if (format === 'JSON' || format === 'other' || format === 'a stream') return []
  return [
    {
      key: `format ${format}`,
      title: (members) =>
        members.every(({ operation }) => operation === 'speech')
          ? `Speech is ${format === 'empty' ? format : `${format} instead of MP3`}`
          : `Responses are ${format === 'empty' ? format : `${format} instead of JSON`}`,
    },
  ]
}

function mediaTypeCauses(actual: string, finding: CheckFinding): PossibleCause[] {
  const { outcome, entry } = finding
  if (isAboutErrorBody(outcome)) {
    return detectErrorFormat(entry) === 'JSON'
      ? [errorTypeCause(actual), mediaTypeCause(actual, 'application/json')]
      : errorBodyCauses('error', finding)
  }
  const expected = outcome.expected !== undefined && 'mediaType' in outcome.expected ? outcome.expected.mediaType : ''
  if (isRule(outcome, 'binary')) return [...formatCauses(finding), mediaTypeCause(actual, 'audio/mpeg'), SPEECH]
  const isUnstated = expected === '' // as in a check that could not judge its responses
  if (expected === EVENT_STREAM || (isUnstated && concernsStream(finding))) return streamTypeCauses(actual, finding)
  return [
    ...(expected === 'application/json' ? formatCauses(finding) : []),
    mediaTypeCause(actual, expected),
    // For speech, the audio may also have a format other than MP3.
    ...(finding.operation === 'speech' ? [SPEECH] : []),
  ]
}

/** Creates the possible cause that responses have a wrong media type. */
function mediaTypeCause(actual: string, expected: string): PossibleCause {
  return {
    key: `label ${actual} ${expected}`,
    title: (members) => {
      const ofResults = members.filter(({ outcome }) => !isAboutErrorBody(outcome))
      const [only, ...others] = [...new Set(ofResults.map(({ operation }) => RESULT_NAMES[operation]))]
      const result = others.length === 0 && only !== undefined ? only : 'Responses'
      const subject = ofResults.length < members.length ? `${result} and JSON errors` : result
      const required = expected === '' ? 'JSON' : `\`${expected}\``
      return `${subject} ${isPlural(result) || subject !== result ? 'have' : 'has'} ${describeMediaType(actual)} instead of ${required}`
    },
  }
}

/** Returns whether the event that is not JSON is `[DONE]` in another spelling, e.g. `[done]`. */
function isMisspelledDone(deviation: Deviation | Outcome): boolean {
  if (deviation.code !== 'stream-malformed' || deviation.params.problem !== 'not-json') return false
  return /^"?\[done\]"?$/i.test(String(deviation.params.actual).trim())
}

/** Returns the possible cause of a stream with another media type: it is not a stream, or only its label is wrong. */
function streamTypeCauses(actual: string, finding: CheckFinding): PossibleCause[] {
  const isStream = detectResponseFormat(finding.entry) === 'a stream' || isLabelledStream(finding)
  return isStream && actual !== EVENT_STREAM ? [streamLabel(actual)] : [noStream(actual)]
}

const EVENT_STREAM = 'text/event-stream'

function streamLabel(actual: string): PossibleCause {
  const title = `Streams have ${describeMediaType(actual)} instead of \`${EVENT_STREAM}\``
  return createPossibleCause(`stream label ${actual}`, title)
}

/** Returns whether the last response of the check is a stream. */
function isAboutStream({ entry }: CheckFinding): boolean {
  return detectResponseFormat(entry) === 'a stream'
}

function bodyCauses(finding: CheckFinding): PossibleCause[] {
  const formats = formatCauses(finding)
  return finding.operation === 'speech' ? [...formats, SPEECH] : formats
}

function noStream(mediaType: string): PossibleCause {
  return createPossibleCause(
    'no stream',
    `Streams are not server-sent events${mediaType === '' || mediaType === 'text/event-stream' ? '' : ` but \`${mediaType}\``}`,
  )
}

/** Returns the media type of the last success, or of the last response if there is no success. */
function mediaTypeOf(finding: CheckFinding): string {
  const response = findLastSuccess(finding) ?? finding.entry.evidence?.at(-1)?.response
  return (response?.headers['content-type'] ?? '').replace(/;.*/, '').trim()
}

/** Returns the last response with a 2xx status, for example that of a control request. */
function findLastSuccess({ entry }: CheckFinding) {
  return entry.evidence?.findLast(({ response }) => Math.floor((response?.status ?? 0) / 100) === 2)?.response
}
