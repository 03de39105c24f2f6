import { STATUSES } from '../../contract/facts.ts'
import type { Outcome } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'

/*
 * From exchanges to an outcome. Used as `import * as expect`, so that a check reads as a sentence.
 *
 * What a level allows: a stated sentence passes, fails or is not testable; a convention passes, warns or is not testable;
 * a silence is observed, fails only where the target broke down (5xx, no answer), or is not testable.
 */

/** Says what contradicts the sentence, or nothing when it holds. */
export type Contradiction = (answer: Exchange) => string | undefined

/** A request that breaks one rule, with the words for it. */
export interface Mistake {
  /** Which mistake it is, e.g. `a string`. */
  readonly what: string
  readonly answer: Exchange
}

const TABLE_CODES: readonly number[] = STATUSES.map(({ code }) => code)

/** Errors that say something of the tester's side or of the limits that the tester set, never of the contract. */
const NOT_THE_TARGETS_FAULT: Readonly<Record<string, string>> = {
  budget: 'the budget of this run was used up: raise --max-requests or --max-credits',
  interrupted: 'the run was interrupted',
  refused: 'the connection was refused',
  dns: 'the name of the target did not resolve',
  tls: 'no trusted TLS connection came about: see --ca and --insecure',
  'too-large': 'the answer was larger than the suite reads',
}

/** What the target did, in a few words, e.g. `answered 404`. */
export function answered(answer: Exchange): string {
  if (answer.error === undefined) return `answered ${answer.status}`
  if (answer.error.kind === 'timeout') return 'did not answer in time'
  const ending = `the exchange ended with an error (${answer.error.kind})`
  return answer.status === 0 ? `gave no answer: ${ending}` : `answered ${answer.status}, then ${ending}`
}

/** True when the answer is whole and its status is 2xx: the document names no code for success. */
export function served(answer: Exchange): boolean {
  return answer.error === undefined && answer.status >= 200 && answer.status < 300
}

/** The check could not be made; `why` says what was missing and what to give. */
export function notTestable(why: string): Outcome {
  return { verdict: 'not-testable', expected: [], actual: why }
}

/** The sentence is contradicted. */
export function failed(expected: string | readonly string[], actual: string): Outcome {
  return { verdict: 'fail', expected: [expected].flat(), actual }
}

/** The sentence held, as seen. */
export function passed(expected: string | readonly string[], actual: string): Outcome {
  return { verdict: 'pass', expected: [expected].flat(), actual }
}

/** A convention is not kept; `consequence` says which client breaks and how. */
export function warned(expected: string, actual: string, consequence: string): Outcome {
  return { verdict: 'warn', expected: [expected], actual, consequence }
}

/** A stated sentence about a valid request: it is served. */
export function success(answer: Exchange, expected: string): Outcome {
  const setback = testersMatter(answer) ?? lateAnswer(answer)
  if (setback !== undefined) return notTestable(setback)
  return served(answer) ? passed(expected, answered(answer)) : failed(expected, answered(answer))
}

/**
 * A stated sentence about the answer to a valid request. A target that refuses the request says nothing about the
 * sentence (not testable); one that breaks down or leaves the table of statuses fails.
 */
export function holds(answer: Exchange, expected: string | readonly string[], contradiction: Contradiction): Outcome {
  const unserved = whyUnserved(answer, expected)
  if (unserved !== undefined) return unserved
  const found = contradiction(answer)
  return found === undefined ? passed(expected, 'as the document says') : failed(expected, found)
}

/** A convention about the answer to a valid request. */
export function keeps(answer: Exchange, expected: string, deviation: Contradiction, consequence: string): Outcome {
  if (!served(answer))
    return notTestable(testersMatter(answer) ?? `a valid request was not served: the target ${answered(answer)}`)
  const found = deviation(answer)
  return found === undefined ? passed(expected, 'as clients expect it') : warned(expected, found, consequence)
}

/**
 * A convention about a request that common clients send in a form of their own: it is served as well as the plain one.
 */
export function tolerates(
  answer: Exchange,
  { asWellAs: plain }: { readonly asWellAs: Exchange },
  expected: string,
  deviation: Contradiction,
  consequence: string,
): Outcome {
  if (!served(plain)) return keeps(plain, expected, deviation, consequence)
  const setback = testersMatter(answer)
  if (setback !== undefined) return notTestable(setback)
  return served(answer)
    ? keeps(answer, expected, deviation, consequence)
    : warned(expected, answered(answer), consequence)
}

/**
 * A client's mistake is refused with one of `statuses`. The twin, one difference apart, has to be served: otherwise the
 * refusal may have another reason and proves nothing.
 */
export function refusal(
  answer: Exchange,
  statuses: number | readonly number[],
  { becauseTwinWorks: twin }: { readonly becauseTwinWorks: Exchange },
): Outcome {
  return everyRefusal([{ what: 'the request', answer }], statuses, { becauseTwinWorks: twin })
}

/** The same for several mistakes of one kind, of which each has to be refused; one twin serves for all. */
export function everyRefusal(
  mistakes: readonly Mistake[],
  statuses: number | readonly number[],
  { becauseTwinWorks: twin }: { readonly becauseTwinWorks: Exchange },
): Outcome {
  const allowed = [statuses].flat()
  const expected = allowed.map(String)
  const isDown = twin.error?.kind === 'timeout'
  const broken = mistakes.find(({ answer }) => brokeDown(answer) && !(isDown && answer.error?.kind === 'timeout'))
  if (broken !== undefined) return failed(expected, `${broken.what}: ${answered(broken.answer)}`)
  const unserved = whyUnserved(twin, expected)
  if (unserved !== undefined) {
    return {
      ...unserved,
      actual: `the valid twin of the request was not served, so a refusal proves nothing: ${unserved.actual}`,
    }
  }
  for (const { what, answer } of mistakes) {
    if (answer.error === undefined && allowed.includes(answer.status)) continue
    const setback = testersMatter(answer)
    return setback === undefined ? failed(expected, `${what}: ${answered(answer)}`) : notTestable(setback)
  }
  return passed(
    expected,
    `${[...new Set(mistakes.map(({ answer }) => answered(answer)))].join(', ')}; the valid twin was served`,
  )
}

/** The document is silent: reports what the target does. Only a breakdown fails. */
export function observed(answer: Exchange, describe: (answer: Exchange) => string = answered): Outcome {
  if (brokeDown(answer))
    return failed('2xx or 4xx: the document is silent, and leaves no more than that', answered(answer))
  const setback = testersMatter(answer)
  if (setback !== undefined) return notTestable(setback)
  return { verdict: 'observed', expected: [], actual: describe(answer) }
}

/** Why a valid request with a valid key was not served; nothing when it was. */
function whyUnserved(answer: Exchange, expected: string | readonly string[]): Outcome | undefined {
  if (served(answer)) return undefined
  const setback = testersMatter(answer) ?? lateAnswer(answer)
  if (setback !== undefined) return notTestable(setback)
  const outsideTable = answer.status !== 0 && !TABLE_CODES.includes(answer.status)
  if (brokeDown(answer) || outsideTable || answer.status === 401) {
    return failed(expected, `a valid request with a valid key: the target ${answered(answer)}`)
  }
  return notTestable(`a valid request was refused: the target ${answered(answer)}`)
}

/** A 5xx or no (whole) answer: no silence of the document covers it. */
function brokeDown(answer: Exchange): boolean {
  if (answer.error !== undefined) return NOT_THE_TARGETS_FAULT[answer.error.kind] === undefined
  return answer.status >= 500
}

/** What says something of the tester's account or side only. */
function testersMatter(answer: Exchange): string | undefined {
  if (answer.error !== undefined) return NOT_THE_TARGETS_FAULT[answer.error.kind]
  if (answer.status === 429)
    return 'the key stayed rate limited (429): give one with a higher limit, or run more slowly with --concurrency'
  if (answer.status === 402) return 'the account ran out of credits (402): give --key of an account with more'
  return undefined
}

/** The document states no time: a late answer to a valid request is not held against the target. */
function lateAnswer(answer: Exchange): string | undefined {
  if (answer.error?.kind !== 'timeout') return undefined
  return 'a valid request was not answered before the deadline: raise --timeout-ms'
}
