import { isUtf8 } from 'node:buffer'
import { PARAMETER_DEFAULTS } from '../../../contract/facts.ts'
import { type AnyCheck, defineSummaryCheck, MAX_EVIDENCE } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import { parseJson } from '../../http/decode-body.ts'
import { isStreamingRequest } from '../../http/request-body.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import * as expect from '../../findings/expect.ts'
import type { Deviation } from '../../findings/families.ts'
import type { Expectation } from '../../findings/expectations.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import { readCompletionText } from '../4.2-chat/completion-texts.ts'
import { getMediaType, getMember, getRequestJson, getRequestText } from '../shared/response-access.ts'

/** Replaces bytes that are not valid UTF-8, for example one half of a character that was cut between two writes. */
const REPLACEMENT = '\uFFFD'

const INTACT: Expectation = { rule: 'intact-text' }

const CONSEQUENCE =
  'users see "\uFFFD" in place of characters, and Python programs that print or store one half of a character raise UnicodeEncodeError: decode bytes only after all bytes of a character have arrived'

interface TextResponse {
  readonly logged: LoggedExchange
  /** Strings of the response, in the order in which they arrived. */
  readonly texts: readonly string[]
  /** Text of the completion, or else all strings. */
  readonly text: string
}

function readText(logged: LoggedExchange): TextResponse {
  const texts = listTexts(logged.exchange)
  const completion = readCompletionText({ logged, fields: {} })
  return { logged, texts, text: completion === '' ? texts.join('\n') : completion }
}

/** Lists the text of a response: the strings of its JSON or of its events, or else its body if it is text. */
function listTexts(exchange: Exchange): readonly string[] {
  const values = exchange.events.length > 0 ? exchange.events.map(({ data }) => parseJson(data) ?? data) : exchange.json
  if (values !== undefined) return stringsOf(values)
  return getMediaType(exchange).startsWith('text/') ? [exchange.text] : []
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : []
}

/** Returns whether a request contains only intact text. A target may repeat the text of any other request. */
function hasIntactRequest({ form, exchange }: LoggedExchange): boolean {
  const texts = form === undefined ? [getRequestText(exchange), ...stringsOf(getRequestJson(exchange))] : []
  return texts.every((text) => text.isWellFormed() && !text.includes(REPLACEMENT))
}

function isComplete({ isFinal, exchange: { error, wasAborted, whole } }: LoggedExchange): boolean {
  return isFinal && error === undefined && wasAborted === undefined && whole === undefined
}

type Damage = Extract<Deviation, { code: 'damaged-text' }>

function findDamage({ logged, texts, text }: TextResponse): Damage | undefined {
  const { exchange } = logged
  const half = texts.find((text) => !text.isWellFormed())
  if (half !== undefined) return damaged('half-character', JSON.stringify(half))
  if (!isUtf8(exchange.body)) return damaged('invalid-utf8', aroundReplacement(exchange.text))
  if (mayBeRandom(logged)) return undefined
  // A model may stop within a character, so the end of a text says nothing about the target.
  const isReplaced = text.replace(/\uFFFD+$/, '').includes(REPLACEMENT)
  return isReplaced ? damaged('replaced', aroundReplacement(text)) : undefined
}

/**
 * Returns whether a response is a completion at a temperature above the default, or at none that the specification
 * covers. The model may then choose any tokens, also those of half a character.
 */
function mayBeRandom({ operation, kind, exchange }: LoggedExchange): boolean {
  if (operation !== 'chat' || exchange.status >= 400) return false
  const temperature = getMember(getRequestJson(exchange), 'temperature') ?? PARAMETER_DEFAULTS.temperature
  return kind !== 'valid' || Number(temperature) > PARAMETER_DEFAULTS.temperature
}

function damaged(problem: Damage['params']['problem'], actual: string): Damage {
  return { code: 'damaged-text', params: { problem, actual: createExcerpt(actual) } }
}

function aroundReplacement(text: string): string {
  const at = text.indexOf(REPLACEMENT)
  return text.slice(Math.max(0, at - 10), at + 10)
}

/** Returns whether the model generates U+FFFD: streams and other completions contain it beside other characters. */
function mayBeOfModel(found: readonly TextResponse[], all: readonly TextResponse[]): boolean {
  const kinds = new Set(found.map(({ logged: { exchange } }) => isStreamingRequest(exchange.request)))
  const areCompletions = found.every(({ logged: { operation, kind } }) => operation === 'chat' && kind === 'valid')
  return kinds.size === 2 && areCompletions && all.some(hasOtherScript)
}

function hasOtherScript({ text }: Pick<TextResponse, 'text'>): boolean {
  return /[^\0-\x7f\uFFFD]/.test(text)
}

/** Moves the requests for other scripts to the front, because their command probably shows the damage again. */
function requestsOfOtherScriptsFirst<R extends TextResponse>(responses: readonly R[]): readonly R[] {
  const isOther = ({ logged }: R): boolean => hasOtherScript({ text: getRequestText(logged.exchange) })
  return [...responses.filter(isOther), ...responses.filter((response) => !isOther(response))]
}

/** Evaluates the text of every response: streams, other results and error bodies. */
const intactTextCheck = defineSummaryCheck({
  id: '1/intact-text',
  requirement: '1/intact-text',
  title: 'sends text in valid UTF-8, without replaced and without cut characters',
  operation: 'chat',
  summarize({ exchanges }) {
    const all = exchanges
      .filter((logged) => isComplete(logged) && hasIntactRequest(logged))
      .map(readText)
      .filter(({ texts }) => texts.length > 0)
    const damagedResponses = all.flatMap((response) => {
      const deviation = findDamage(response)
      return deviation === undefined ? [] : [{ ...response, deviation }]
    })
    const found = requestsOfOtherScriptsFirst(damagedResponses)
    const [first] = found
    if (first === undefined) {
      const others = all.filter(hasOtherScript).length
      if (all.length === 0) return { outcome: expect.markNoEvidence('recorded-response') }
      return {
        outcome:
          others === 0
            ? expect.observeFact({ kind: 'ascii-text' })
            : expect.pass(INTACT, { kind: 'every-response', responses: all.length }),
      }
    }
    const evidence = found.slice(0, MAX_EVIDENCE).map(({ logged }) => logged)
    const share = { responses: found.length, of: all.length }
    const areReplaced = found.every(({ deviation: { params } }) => params.problem === 'replaced')
    if (areReplaced && mayBeOfModel(found, all))
      return { outcome: expect.observeFact({ kind: 'replaced-characters', ...share }), evidence }
    return { outcome: expect.addDifference(share, expect.warn(INTACT, first.deviation, CONSEQUENCE)), evidence }
  },
})

export const intactTextChecks: readonly AnyCheck[] = [intactTextCheck]
