import { type AnyCheck, defineSummaryCheck } from '../../engine/check.ts'
import * as expect from '../../findings/expect.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import type { Expectation } from '../../findings/expectations.ts'
import { type LoggedResponse, listSuccessfulResponses } from '../shared/recorded-responses.ts'
import { getMember } from '../shared/response-access.ts'
import { parseStream } from '../shared/stream.ts'

/** Minimum number of different prompts. With fewer prompts, equal texts may be a coincidence. */
const MIN_PROMPTS = 5
/** Minimum number of words of a text whose order identifies it in another text. */
const MIN_WORDS = 8
/** Minimum share of the words of a text that a stream of the same text contains. */
const MIN_SHARE = 0.7
/** Minimum number of identical completions that show that the target always generates the same text for a request. */
const MIN_IDENTICAL = 2
const MAX_EVIDENCE = 2

const STREAM_TEXT: Expectation = { rule: 'stream-text' }

interface Completion {
  readonly response: LoggedResponse
  readonly text: string
}

function listCompletions(responses: readonly LoggedResponse[]): Completion[] {
  return responses
    .filter(({ logged: { kind, exchange } }) => kind === 'valid' && exchange.wasAborted !== true)
    .map((response) => ({ response, text: readCompletionText(response) }))
}

/** Returns the text of a completion or a stream. Returns an empty string if it has another form. */
export function readCompletionText({ logged: { exchange } }: LoggedResponse): string {
  const deltas = parseStream(exchange).withChoice.map(({ content }) => (typeof content === 'string' ? content : ''))
  const content = getMember(exchange.json, 'choices', 0, 'message', 'content')
  return typeof content === 'string' ? content : deltas.join('')
}

// The specification does not state that a completion depends on the prompt. `max_tokens` truncates some of the texts.
const textOfPromptsCheck = defineSummaryCheck({
  id: '4.2/text-of-prompts',
  requirement: '4.2/completion-text',
  title: 'whether completions of different prompts differ',
  operation: 'chat',
  summarize(run) {
    const completions = listCompletions(listSuccessfulResponses(run, 'chat'))
    const prompts = new Set(completions.map(({ response }) => JSON.stringify(response.fields['messages'])))
    const [longest] = completions.toSorted((a, b) => b.text.length - a.text.length)
    if (longest === undefined || prompts.size < MIN_PROMPTS) {
      return { outcome: expect.markNoEvidence('recorded-response') }
    }
    const differ = completions.some(({ text }) => !longest.text.startsWith(text.trimEnd()))
    const evidence = completions.slice(0, MAX_EVIDENCE).map(({ response }) => response.logged)
    return { outcome: expect.observeFact({ kind: 'texts-of-prompts', differ }), evidence }
  },
})

/** Returns the words of `whole` that `part` lacks. Returns undefined if `part` is not `whole` without some words. */
export function findLostWords(whole: string, part: string): readonly string[] | undefined {
  const [all, kept] = [wordsOf(whole), wordsOf(part)]
  if (kept.length < MIN_WORDS || kept.length >= all.length || kept.length < MIN_SHARE * all.length) return undefined
  let found = 0
  const lost = all.filter((word) => {
    if (word !== kept[found]) return true
    found += 1
    return false
  })
  // A stream that ends earlier has lost no words: it may have reached its max_tokens.
  const endsEarly = kept.every((word, index) => word === all[index])
  return found === kept.length && !endsEarly ? lost : undefined
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter(Boolean)
}

function keyOf({ fields: { stream: _stream, stream_options: _options, ...others } }: LoggedResponse): string {
  return JSON.stringify(Object.entries(others).toSorted(([a], [b]) => a.localeCompare(b)))
}

/** A stream, and a completion of an identical request. */
interface Pair {
  readonly stream: Completion
  readonly whole: Completion
  /** Whether all completions of this request are identical, so that the stream should have the same text. */
  readonly isRepeatable: boolean
}

function pairCompletions(completions: readonly Completion[]): Pair[] {
  const groups = Map.groupBy(completions, ({ response }) => keyOf(response))
  return [...groups.values()].flatMap((group) => {
    const isStream = ({ response }: Completion): boolean => response.fields['stream'] === true
    const plain = group.filter((one) => !isStream(one))
    const isRepeatable = plain.length >= MIN_IDENTICAL && new Set(plain.map(({ text }) => text)).size === 1
    return group.filter(isStream).flatMap((stream) => plain.map((whole) => ({ stream, whole, isRepeatable })))
  })
}

/**
 * Compares each stream with the completions of identical requests. A model may generate a different text each time, even
 * one that only omits a word. So a stream shows a loss only if the completions are identical, and the stream is their
 * text without some of its words.
 */
const streamTextCheck = defineSummaryCheck({
  id: '4.2/stream-text',
  requirement: '4.2/stream-content',
  title: 'streams the text of a completion without losing words',
  operation: 'chat',
  summarize(run) {
    const completions = listCompletions(listSuccessfulResponses(run, 'chat')).filter(({ text }) => text !== '')
    const pairs = pairCompletions(completions)
    if (pairs.length === 0) return { outcome: expect.markNoEvidence('texts-to-compare') }
    for (const { stream, whole, isRepeatable } of pairs) {
      const lost = isRepeatable ? findLostWords(whole.text, stream.text) : undefined
      if (lost === undefined) continue
      const params = { words: lost.length, of: wordsOf(whole.text).length, lost: createExcerpt(lost.join(' ')) }
      return {
        outcome: expect.warn(
          STREAM_TEXT,
          { code: 'words-lost', params },
          'clients that stream show an incomplete text',
        ),
        evidence: [whole.response.logged, stream.response.logged],
      }
    }
    const isSame = pairs.some(({ stream, whole }) => stream.text === whole.text)
    const seen = { kind: 'stream-text', isSame } as const
    const evidence = pairs.slice(0, 1).flatMap(({ stream, whole }) => [whole.response.logged, stream.response.logged])
    return { outcome: isSame ? expect.pass(STREAM_TEXT, seen) : expect.observeFact(seen), evidence }
  },
})

export const completionTextChecks: readonly AnyCheck[] = [textOfPromptsCheck, streamTextCheck]
