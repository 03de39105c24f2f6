import { expect, test } from 'vitest'
import { describeSyntaxError, parseJsonText } from './parse-json.ts'

test('parses a JSON text with a byte order mark', () => {
  expect(parseJsonText('\uFEFF{"port": 0}')).toEqual({ port: 0 })
})

test.each([
  ['text\n', "Unexpected token 'e'"],
  [`${' '.repeat(50)}[1,]`, "Unexpected token ']'"],
  ['{bad', "Expected property name or '}' in JSON at position 1 (line 1 column 2)"],
  ['', 'Unexpected end of JSON input'],
])('describes the syntax error of %j without text of the file', (text, description) => {
  const parse = () => parseJsonText(text)
  expect(parse).toThrow(SyntaxError)
  try {
    parse()
  } catch (error) {
    expect(describeSyntaxError(error as SyntaxError)).toBe(description)
  }
})
