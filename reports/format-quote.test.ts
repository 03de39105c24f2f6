import { expect, test } from 'vitest'
import { formatQuote } from './format-quote.ts'

test.each([
  ['A missing or invalid key gives status 401.', 'A missing or invalid key gives status 401.'],
  ['| prompt | string | yes | Text description |', 'prompt (string, required): Text description'],
  ['| data | array | Items: anything', 'data (array): Items: anything'],
  ['| o3-mini | Reasoning model | 0.004 |', 'o3-mini: Reasoning model, 0.004'],
  ['| auto | Quality is chosen | ', 'auto: Quality is chosen'],
])('formats %j as prose', (quote, text) => {
  expect(formatQuote('0', quote)).toBe(text)
})

test.each([
  [
    '7',
    'Status codes:',
    'Status codes: 400 Bad Request, 401 Unauthorized, 402 Payment Required, 404 Not Found, 429 Too Many Requests, 500 Internal Server Error',
  ],
  ['4.3', 'Request body (JSON):', 'Request body (JSON): model, prompt, n, size'],
  ['2.1', 'A model is identified by a string model ID.', 'A model is identified by a string model ID.'],
])('adds the entries of the table in section %s to %j', (section, quote, text) => {
  expect(formatQuote(section, quote)).toBe(text)
})

test('adds the model IDs to the sentence that introduces them', () => {
  expect(formatQuote('2.1', 'Available model IDs.')).toMatch(
    /^Available model IDs: vendora-v4-flash, .*, vendorc-4o-mini$/,
  )
})

test.each([
  [
    '8',
    'n is 1',
    'Defaults: max_tokens is 256, temperature is 1.0 (range 0 to 2), n is 1, voice is "alloy", stream is false.',
  ],
  [
    '4.2',
    'Sampling temperature, 0 to 2; default 1.0',
    'temperature (number, optional): Sampling temperature, 0 to 2; default 1.0',
  ],
  [
    '2.4',
    'ending in an image file extension',
    'data (array): Items: object with url (string), an address under {base_url}/v1/images/ ending in an image file extension',
  ],
])('completes the part of a statement in section %s: %j', (section, quote, text) => {
  expect(formatQuote(section, quote)).toBe(text)
})
