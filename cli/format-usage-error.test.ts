import { expect, test } from 'vitest'
import { formatUsageError } from './format-usage-error.ts'

test.each([
  [
    "error: unknown option '--tagret'\n(Did you mean --target?)",
    'touchstone load',
    "Unknown option '--tagret': did you mean --target?\n",
  ],
  [
    "error: missing required argument 'files'",
    'touchstone report matrix',
    "Missing required argument 'files': see touchstone report matrix --help.\n",
  ],
  [
    'error: gateway.json is there already: name another',
    'touchstone init',
    'gateway.json is there already: name another.\n',
  ],
  ['error: out/t is no file: name another', 'touchstone init', 'out/t is no file: name another.\n'],
  [
    'error: the key sk-svc-secret is wrong: give another',
    'touchstone load',
    'The key sk-svc-… is wrong: give another.\n',
  ],
])('formats %j as one line', (text, command, sentence) => {
  expect(formatUsageError(text, command)).toBe(sentence)
})

test.each([
  ["error: too many arguments for 'conformance'. Expected 0 arguments but got 1.", 'touchstone conformance'],
  [
    'Too many arguments: options of k6 stand after --, like touchstone load -- http://127.0.0.1:8100.',
    'touchstone load',
  ],
])('suggests --target for an address without an option: %j', (text, command) => {
  expect(formatUsageError(text, command, ['stray', 'http://127.0.0.1:8100'])).toBe(
    'Too many arguments: did you mean --target http://127.0.0.1:8100?\n',
  )
  expect(formatUsageError(text, command, ['stray'])).not.toContain('--target')
  expect(formatUsageError(text, command, ['https://sk-svc-secret@example.com'])).not.toMatch(/--target|secret/)
  expect(formatUsageError(text, command, ['https://example.com/sk-svc-secret'])).not.toContain('secret')
})
