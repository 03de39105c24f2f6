import type { Exchange } from '../http/exchange.ts'
import { at, isObject, items, show } from './read.ts'
import { readStream } from './stream.ts'

/** What common clients rely on in a stream, and the document leaves open. */
export interface Habit {
  readonly name: string
  readonly title: string
  readonly expected: string
  readonly consequence: string
  deviation(answer: Exchange): string | undefined
}

/** The first chunk, among those with a choice, that a habit does not find in order. */
function firstChunk(answer: Exchange, problem: (json: unknown) => string | undefined): string | undefined {
  const { withChoice } = readStream(answer)
  if (withChoice.length === 0) return 'no event has choices'
  return withChoice.map(({ json }) => problem(json)).find((found) => found !== undefined)
}

/** In the order in which a stream meets them. */
export const STREAM_HABITS: readonly Habit[] = [
  {
    name: 'chunk-json',
    title: 'each event but [DONE] is a JSON object',
    expected: 'JSON in the data of each event',
    consequence: 'the openai SDKs for node and Python and LangChain abort the stream at an event that is no JSON',
    deviation: (answer) => {
      const { chunks } = readStream(answer)
      if (chunks.length === 0) return 'there is no event besides [DONE]'
      const other = chunks.find(({ json }) => !isObject(json))
      return other === undefined ? undefined : `an event carries ${show(other.data)}`
    },
  },
  {
    name: 'chunk-object',
    title: 'each chunk has the object "chat.completion.chunk"',
    expected: 'object = "chat.completion.chunk"',
    consequence: 'the stream helper of the openai SDK for Python fails on another object',
    deviation: (answer) =>
      firstChunk(answer, (json) => {
        const object = at(json, 'object')
        return object === 'chat.completion.chunk' ? undefined : `object is ${show(object)}`
      }),
  },
  {
    name: 'chunk-id',
    title: 'all chunks of a stream have one id',
    expected: 'the same string id in each chunk',
    consequence: 'clients that gather chunks by id (tracing, proxies that merge streams) split one answer into several',
    deviation: (answer) => {
      const ids = [...new Set(readStream(answer).withChoice.map(({ json }) => at(json, 'id')))]
      if (ids.length === 1 && typeof ids[0] === 'string') return undefined
      return ids.length === 0 ? 'no event has choices' : `ids are ${show(ids)}`
    },
  },
  {
    name: 'chunk-index',
    title: 'each choice of a chunk has an index',
    expected: 'choices[0].index, an integer',
    consequence: 'the stream helpers of the openai SDKs for node and Python throw without it',
    deviation: (answer) =>
      firstChunk(answer, (json) => {
        const index = at(json, 'choices', 0, 'index')
        return Number.isSafeInteger(index) ? undefined : `index is ${show(index)}`
      }),
  },
  {
    name: 'role-first',
    title: 'the first delta carries the role "assistant"',
    expected: 'delta.role = "assistant" in the first chunk',
    consequence: 'the stream helper of the openai SDK for node throws "missing role"',
    deviation: (answer) => {
      const role = readStream(answer).withChoice[0]?.role
      return role === 'assistant' ? undefined : `the role in the first delta is ${show(role)}`
    },
  },
  {
    name: 'content-text',
    title: 'the deltas carry text',
    expected: 'at least one delta.content, each a string',
    consequence: 'clients that append delta.content show an empty answer, or the word "undefined"',
    deviation: (answer) => {
      const contents = readStream(answer).withChoice.map(({ content }) => content)
      const given = contents.filter((content) => content !== undefined && content !== null)
      const other = given.find((content) => typeof content !== 'string')
      if (other !== undefined) return `a delta.content is ${show(other)}`
      return given.length > 0 ? undefined : 'no delta has content'
    },
  },
  {
    name: 'finish-reason-last',
    title: 'the last chunk with a choice carries the finish_reason, and no earlier one does',
    expected: 'finish_reason, a string, in the last chunk with a choice only',
    consequence:
      'the stream helper of the openai SDK for node throws without it, the Vercel AI SDK reports an error, and text after it is lost',
    deviation: (answer) => {
      const reasons = readStream(answer).withChoice.map(({ finishReason }) => finishReason)
      if (typeof reasons.at(-1) !== 'string') return `finish_reason in the last chunk is ${show(reasons.at(-1))}`
      const early = reasons.slice(0, -1).find((reason) => typeof reason === 'string')
      return early === undefined ? undefined : `an earlier chunk carries finish_reason ${show(early)}`
    },
  },
  {
    name: 'no-error-member',
    title: 'no chunk has a member "error"',
    expected: 'chunks without "error"',
    consequence: 'the Vercel AI SDK drops all text where chunks carry "error": null',
    deviation: (answer) => {
      const marked = readStream(answer).chunks.find(({ json }) => at(json, 'error') !== undefined)
      return marked === undefined ? undefined : `a chunk carries "error": ${show(at(marked.json, 'error'))}`
    },
  },
  {
    name: 'usage-not-asked',
    title: 'each chunk of a plain stream has a choice',
    expected: 'no event with an empty choices array unless usage was asked for',
    consequence: 'programs that read choices[0] of each chunk break at a usage chunk that nobody asked for',
    deviation: (answer) => {
      const empty = readStream(answer).chunks.find(({ json, choices }) => isObject(json) && items(choices).length === 0)
      return empty === undefined ? undefined : `an event without choices: ${show(empty.json)}`
    },
  },
  {
    name: 'done-last',
    title: 'the last event is [DONE]',
    expected: 'data: [DONE] as the last event',
    consequence:
      'programs that read the frames themselves take a stream without it for a cut one; the Vercel AI SDK appends the text of frames that follow it',
    deviation: (answer) => {
      const { done } = readStream(answer)
      if (done === undefined) return 'there is no [DONE]'
      return done.last ? undefined : 'events follow after [DONE]'
    },
  },
  {
    name: 'last-frame-closed',
    title: 'the last frame ends with a blank line',
    expected: 'a blank line after the last frame',
    consequence:
      'every client drops the frame, as the standard of server-sent events tells it to: the finish_reason or the usage is lost',
    deviation: ({ unfinishedFrame }) =>
      unfinishedFrame ? 'the blank line after the last frame is missing' : undefined,
  },
]
