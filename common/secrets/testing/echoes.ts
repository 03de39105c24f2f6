import { type EncodingName, type EncodingStep, encodeSecret, findVisibleRuns } from './encodings.ts'

const step = (name: EncodingName, ...choices: number[]): EncodingStep => ({ name, choices })

/** Ways in which a target may return a secret: each encoding, and some encodings inside each other. */
export const ECHO_STEPS: readonly (readonly EncodingStep[])[] = [
  [step('plain', 0)],
  [step('upper', 0)],
  [step('lower', 0)],
  [step('json', 0, 1, 2)],
  [step('jsonComplete', 1, 0)],
  [step('percent', 1, 0, 3, 2)],
  [step('percentComplete', 0)],
  [step('html', 0, 1, 2)],
  [step('hex', 0)],
  [step('hex', 1)],
  ...[0, 1, 2].map((offset) => [step('base64', offset, offset)]),
  [step('percent', 1, 2, 3), step('base64', 1, 0)],
  [step('base64', 2, 1), step('percentComplete', 1)],
  [step('base64', 0, 0), step('base64', 1, 0)],
  [step('json', 1, 0), step('hex', 0)],
  [step('upper', 0), step('html', 1)],
  [step('base64', 0, 0), step('lower', 0)],
]

/** Encodes a secret in one of the ways. A changing number selects each of them in turn. */
export function echoSecret(secret: string, number: number): string {
  return encodeSecret(secret, ECHO_STEPS[number % ECHO_STEPS.length] ?? []).text
}

/** Returns the runs of eight characters of a secret that some texts contain in any of the ways. */
export function findEchoedRuns(texts: readonly string[], secret: string): string[] {
  const readings = new Set(texts.flatMap((text) => [text, unescapeMarkup(text), text.replaceAll(/\\(["\\/])/g, '$1')]))
  return ECHO_STEPS.flatMap((steps) => {
    const encoded = encodeSecret(secret, steps)
    return [...readings].flatMap((reading) => findVisibleRuns(reading, encoded))
  })
}

function unescapeMarkup(text: string): string {
  const named = text.replaceAll(/&(lt|gt|quot);/g, (_, name: string) => ({ lt: '<', gt: '>', quot: '"' })[name] ?? '')
  return named.replaceAll('&#39;', "'").replaceAll('&amp;', '&')
}
