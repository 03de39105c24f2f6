/**
 * Describes a syntax error of a JSON file. V8 appends text of the file to some messages, which can contain line breaks.
 * The description omits it.
 */
export function describeSyntaxError({ message }: SyntaxError): string {
  return message.replace(/, (?:\.\.\.)?".*$/s, '')
}
