import { isNestedDeeper } from './json-depth.ts'

/**
 * Maximum depth of nested arrays and objects in JSON. A deeper value could overflow the stack of code that reads it, and
 * even parsing millions of brackets takes seconds.
 */
export const MAX_JSON_DEPTH = 512

/**
 * Parses JSON.
 * @throws SyntaxError, also if the value is nested more than `maxDepth` deep
 */
export function parseJson(text: string, maxDepth = MAX_JSON_DEPTH): unknown {
  if (isNestedDeeper(text, maxDepth)) throw new SyntaxError(`Nested more than ${maxDepth} deep`)
  return JSON.parse(text)
}

/** Parses JSON. Returns undefined if the text is not JSON, or is nested too deeply. */
export function tryToParseJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/**
 * Parses the text of a JSON file. Ignores a byte order mark, which editors on Windows can write.
 * @throws SyntaxError
 */
export function parseJsonText(text: string): unknown {
  return parseJson(text.replace(/^\uFEFF/, ''))
}

/**
 * Describes a syntax error of a JSON file. V8 appends text of the file to some messages, which can contain line breaks.
 * The description omits it.
 */
export function describeSyntaxError({ message }: SyntaxError): string {
  return message.replace(/, (?:\.\.\.)?".*$/s, '')
}
