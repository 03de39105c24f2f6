import { expect, test } from 'vitest'
import { formatQuote } from './format-quote.ts'

test.each([
  ['A missing or invalid key gives status 401.', 'A missing or invalid key gives status 401.'],
  ['| prompt | string | yes | Text description |', 'prompt (string, required): Text description'],
  ['| temperature | number | no |', 'temperature (number, optional)'],
  ['| created | integer | <timestamp> |', 'created (integer): <timestamp>'],
  ['| data | array | Items: object with url (string)', 'data (array): Items: object with url (string)'],
  ['| text | string |', 'text (string)'],
  ['| 400 | Bad Request | Invalid request parameters |', '400 Bad Request: Invalid request parameters'],
  ['| o3-mini | Reasoning model | 0.004 |', 'o3-mini: Reasoning model, 0.004'],
  ['| auto | Quality is chosen | ', 'auto: Quality is chosen'],
])('formats %j as prose', (quote, text) => {
  expect(formatQuote(quote)).toBe(text)
})
