/**
 * Parses the text of a JSON file. Ignores a byte order mark, which editors on Windows can write.
 * @throws SyntaxError
 */
export function parseJsonText(text: string): unknown {
  return JSON.parse(text.replace(/^\uFEFF/, ''))
}

/**
 * Describes a syntax error of a JSON file. V8 appends text of the file to some messages, which can contain line breaks.
 * The description omits it.
 */
export function describeSyntaxError({ message }: SyntaxError): string {
  return message.replace(/, (?:\.\.\.)?".*$/s, '')
}
