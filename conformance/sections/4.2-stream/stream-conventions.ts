import type { Exchange } from '../../http/exchange.ts'
import type { Deviation } from '../../findings/families.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { StreamProblem } from '../../findings/streams.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import { findFirstDeviation, findTypeDeviation, compareValue } from '../shared/fields.ts'
import { getMember, isObject, getItems, isNonEmptyString } from '../shared/response-access.ts'
import { isTruncatedStream, parseStream, removeRepeats } from '../shared/stream.ts'

/** A property of streams that common clients require and that the specification leaves open. */
export interface StreamConvention {
  readonly id: string
  readonly title: string
  readonly expected: Expectation
  /** Names the clients that require the property, and describes how they fail without it. */
  readonly consequence: string
  /** Consequences of problems that affect clients other than those in `consequence`. */
  readonly consequences?: Readonly<Partial<Record<StreamProblem, string>>>
  /** Whether the property depends on the request. An empty completion has no text, a chunk with usage no choices. */
  readonly isOfPlainStreams?: true
  find(response: Exchange): Deviation | undefined
}

function malformed(problem: StreamProblem, actual?: unknown): Deviation {
  const params = actual === undefined ? { problem } : { problem, actual: createExcerpt(actual) }
  return { code: 'stream-malformed', params }
}

/** Finds the first deviation among the chunks with a choice. A stream without one deviates, too. */
function inChunks(response: Exchange, find: (json: unknown) => Deviation | undefined): Deviation | undefined {
  const { withChoice } = parseStream(response)
  return withChoice.length === 0
    ? (findOtherForm(response) ?? malformed('no-choices'))
    : findFirstDeviation(withChoice.map(({ json }) => find(json)))
}

/** Finds a form of events without a readable chunk. All checks of chunks return it, so reports group them. */
function findOtherForm(response: Exchange): Deviation | undefined {
  const { chunks, withChoice } = parseStream(response)
  const [first] = chunks
  if (first === undefined || withChoice.length > 0) return undefined
  return chunks.some(({ json }) => isObject(json)) ? malformed('no-choices') : malformed('not-json', first.data)
}

function listValues(response: Exchange, path: readonly (string | number)[]): readonly unknown[] {
  return [...new Set(parseStream(response).withChoice.map(({ json }) => getMember(json, ...path)))]
}

const MIN_PARTS_WITH_SPACES = 10
const MIN_LETTERS_WITH_SPACES = 40

/**
 * Returns whether the deltas of a stream probably lost their spaces: they contain many Latin letters and no space. Some
 * gateways trim each delta. Languages without spaces between words use other letters.
 */
function lacksSpaces(deltas: readonly string[]): boolean {
  const text = deltas.join('')
  const letters = text.match(/[a-z]/gi)?.length ?? 0
  return deltas.length >= MIN_PARTS_WITH_SPACES && letters >= MIN_LETTERS_WITH_SPACES && !/\s/.test(text)
}

/** Returns the consequence of a deviation from a convention. */
export function findConsequence(
  { consequence, consequences = {} }: Pick<StreamConvention, 'consequence' | 'consequences'>,
  found: Deviation | undefined,
): string {
  return (found?.code === 'stream-malformed' ? consequences[found.params.problem] : undefined) ?? consequence
}

/** Finds deltas that repeat text of the stream. */
export function findRepeatedText(response: Exchange): Deviation | undefined {
  const texts = parseStream(response)
    .withChoice.map(({ content }) => content)
    .filter(isNonEmptyString)
  const kept = removeRepeats(texts)
  const at = texts.findIndex((text, index) => text !== kept[index])
  const start = Math.max(0, at - 1)
  return at === -1 ? undefined : malformed('repeated-text', texts.slice(start, start + 3).join(' | '))
}

/** Values of finish_reason in the types of the openai SDKs. */
const FINISH_REASONS: readonly unknown[] = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call']

export const STREAM_CONVENTIONS: readonly StreamConvention[] = [
  {
    id: '4.2/chunk-json',
    title: 'sends a JSON object in each event except [DONE]',
    expected: { rule: 'chunk-json' },
    consequence: 'the openai SDKs for Node.js and Python and LangChain abort the stream at an event that is not JSON',
    find: (response) => {
      const { chunks } = parseStream(response)
      if (chunks.length === 0) return malformed('no-chunks')
      // `4.2/done-last` reports a [DONE] with spaces around it.
      const other = chunks.find(({ json, data }) => !isObject(json) && data.trim() !== '[DONE]')
      return other === undefined ? undefined : malformed('not-json', other.data)
    },
  },
  {
    id: '4.2/chunk-object',
    title: 'gives each chunk the object "chat.completion.chunk"',
    expected: { field: 'object', value: 'chat.completion.chunk' },
    consequence:
      'the stream helper of the openai SDK for Python ignores a chunk whose object has another value: its text or its usage is lost',
    find: (response) =>
      inChunks(response, (json) => compareValue(json, ['object'], 'chat.completion.chunk')) ??
      findFirstDeviation(
        parseStream(response)
          .chunks.filter(({ choices, usage }) => getItems(choices).length === 0 && isObject(usage))
          .map(({ json }) => compareValue(json, ['object'], 'chat.completion.chunk')),
      ),
  },
  {
    id: '4.2/chunk-id',
    title: 'gives all chunks of a stream one id',
    expected: { rule: 'chunk-id' },
    consequence:
      'clients that join chunks by id (tracing, proxies that merge streams) split one completion into several',
    find: (response) => {
      const deviation = inChunks(response, (json) => findTypeDeviation(json, ['id'], 'string'))
      const ids = listValues(response, ['id'])
      return deviation ?? (ids.length > 1 ? malformed('several-ids', ids) : undefined)
    },
  },
  {
    id: '4.2/chunk-index',
    title: 'gives each choice of a chunk an index',
    expected: { field: 'choices[0].index', type: 'integer' },
    consequence: 'the stream helpers of the openai SDKs for Node.js and Python throw if a choice has no index',
    consequences: {
      'several-indexes':
        'the stream helper of the openai SDK for Node.js takes each index for another choice, and throws "missing finish_reason for choice 0"',
    },
    find: (response) => {
      const deviation = inChunks(response, (json) => findTypeDeviation(json, ['choices', 0, 'index'], 'integer'))
      const indexes = listValues(response, ['choices', 0, 'index'])
      return deviation ?? (indexes.length > 1 ? malformed('several-indexes', indexes) : undefined)
    },
  },
  {
    id: '4.2/role-first',
    title: 'sends the role "assistant" in the first delta',
    expected: { rule: 'role-first' },
    consequence: 'the stream helper of the openai SDK for Node.js throws "missing role"',
    find: (response) => {
      const role = parseStream(response).withChoice[0]?.role
      const otherForm = findOtherForm(response)
      if (otherForm !== undefined) return otherForm
      if (role === 'assistant') return undefined
      return role === undefined ? malformed('no-role') : malformed('wrong-role', role)
    },
  },
  {
    id: '4.2/content-text',
    isOfPlainStreams: true,
    title: 'sends text in the deltas',
    expected: { rule: 'content-text' },
    consequence: 'clients that append delta.content show an empty message, or the word "undefined"',
    consequences: {
      'no-spaces': 'clients that append delta.content show words without spaces between them',
      'repeated-text': 'clients that append delta.content show each part of the text several times',
    },
    find: (response) => {
      const otherForm = findOtherForm(response)
      if (otherForm !== undefined) return otherForm
      const contents = parseStream(response).withChoice.map(({ content }) => content)
      const given = contents.filter((content) => content !== undefined && content !== null)
      const other = given.find((content) => typeof content !== 'string')
      if (other !== undefined) return malformed('content-not-text', other)
      if (given.length === 0) return malformed('no-content')
      const texts = given.filter(isNonEmptyString)
      return findRepeatedText(response) ?? (lacksSpaces(texts) ? malformed('no-spaces', texts.join('')) : undefined)
    },
  },
  {
    id: '4.2/finish-reason-last',
    title: 'sends the finish_reason in one chunk, after the text',
    expected: { rule: 'finish-reason-last' },
    consequence:
      'without a finish_reason, the stream helper of the openai SDK for Node.js throws and the Vercel AI SDK reports an error; text after an early finish_reason is lost',
    consequences: {
      'other-finish-reason':
        'async-openai (Rust) rejects a chunk with another finish_reason, and programs that wait for "stop" do not end',
      'repeated-finish-reason':
        'LangChain joins two values of finish_reason, for example to "stopstop", which programs do not recognize',
    },
    find: (response) => {
      const otherForm = findOtherForm(response)
      if (otherForm !== undefined) return otherForm
      const { withChoice } = parseStream(response)
      // Clients ignore null, and also the empty string that some services send instead of a reason. After the reason, they
      // also ignore chunks without text.
      const first = withChoice.findIndex(({ finishReason }) => isNonEmptyString(finishReason))
      if (isTruncatedStream(response)) return malformed('no-end')
      if (first === -1) return malformed('no-finish-reason', withChoice.at(-1)?.finishReason)
      const after = withChoice.slice(first + 1)
      const reason = withChoice[first]?.finishReason
      if (after.some(({ content }) => isNonEmptyString(content))) return malformed('early-finish-reason', reason)
      const isRepeated = after.some(({ finishReason }) => isNonEmptyString(finishReason))
      if (isRepeated) return malformed('repeated-finish-reason', reason)
      return FINISH_REASONS.includes(reason) ? undefined : malformed('other-finish-reason', reason)
    },
  },
  {
    id: '4.2/no-error-member',
    title: 'sends no field "error" in a chunk',
    expected: { rule: 'no-error-member' },
    consequence: 'the Vercel AI SDK drops the text of chunks that contain "error": null',
    find: (response) => {
      const marked = parseStream(response).chunks.find(({ json }) => getMember(json, 'error') !== undefined)
      return marked === undefined ? undefined : malformed('error-member', getMember(marked.json, 'error'))
    },
  },
  {
    id: '4.2/usage-not-asked',
    isOfPlainStreams: true,
    title: 'sends a choice in each chunk of a plain stream',
    expected: { rule: 'choices-in-each-chunk' },
    consequence:
      'programs that read choices[0] of each chunk fail on an event without choices, such as usage that they did not request',
    find: (response) => {
      const otherForm = findOtherForm(response)
      if (otherForm !== undefined) return otherForm
      const empty = parseStream(response).chunks.find(
        ({ json, choices }) => isObject(json) && getItems(choices).length === 0,
      )
      return empty === undefined ? undefined : malformed('empty-choices', empty.json)
    },
  },
  {
    id: '4.2/done-last',
    title: 'sends [DONE] as the last event',
    expected: { rule: 'done-last' },
    consequence:
      'programs that read the frames themselves treat a stream without [DONE] as truncated; the Vercel AI SDK appends the text of frames after [DONE]',
    find: (response) => {
      const { done } = parseStream(response)
      if (isTruncatedStream(response) && !response.unfinishedFrame) return malformed('no-end')
      // Every client drops a last frame that does not end with a blank line, even if it is `[DONE]`.
      if (done === undefined) return malformed(response.unfinishedFrame ? 'no-blank-line' : 'no-done')
      return done.last ? undefined : malformed('event-after-done')
    },
  },
  {
    id: '4.2/last-frame-closed',
    title: 'ends the last frame with a blank line',
    expected: { rule: 'last-frame-closed' },
    consequence:
      'every client drops a last frame without a blank line, as the standard of server-sent events requires: the finish_reason or the usage is lost',
    find: ({ unfinishedFrame }) => (unfinishedFrame ? malformed('no-blank-line') : undefined),
  },
]
