import { expect, test } from 'vitest'
import { formatUsageError } from './format-usage-error.ts'

// docs/reference/messages.md shows the other messages.
test.each([
  [
    'error: gateway.json already exists: choose another name',
    'touchstone init',
    'gateway.json already exists: choose another name.\n',
  ],
  [
    'error: the key sk-svc-secret is invalid: use another one',
    'touchstone load',
    'The key (hidden) is invalid: use another one.\n',
  ],
  [
    "error: option '--rate <n>' value 'x' from env 'RATE' is invalid. It must be a number greater than 0",
    'touchstone load',
    'Invalid --rate: "x". It must be a number greater than 0.\n',
  ],
])('formats %j as one line', (text, path, sentence) => {
  expect(formatUsageError(text, { path })).toBe(sentence)
})

test.each(['--header', '--body'])('does not show the value of %s', (flag) => {
  const text = `error: option '${flag} <value>' argument '{"user":"any-secret"' is invalid. It must be valid`
  expect(formatUsageError(text, { path: 'touchstone load' })).toBe(`Invalid ${flag}. It must be valid.\n`)
})

test('suggests --target only for an address without a secret', () => {
  const text = "error: too many arguments for 'conformance'. Expected 0 arguments but got 1."
  const format = (...args: string[]) => formatUsageError(text, { path: 'touchstone', args, flags: ['--target'] })
  expect(format('stray', 'http://127.0.0.1:8100')).toContain('Did you mean --target http://127.0.0.1:8100?\n')
  expect(format('https://sk-svc-secret@example.com')).not.toMatch(/--target \S+\?|secret/)
  expect(format('https://example.com/sk-svc-secret')).not.toContain('secret')
})

test('suggests the flag with whose name an unknown flag ends', () => {
  const format = (flag: string) =>
    formatUsageError(`error: unknown option '${flag}'`, { path: 'touchstone load', flags: ['--rate', '--key'] })
  expect(format('--api-key')).toBe("Unknown option '--api-key'. Did you mean --key?\n")
  expect(format('--monkey')).toBe("Unknown option '--monkey'. See touchstone load --help.\n")
})

test('shows no secret of a URL', () => {
  const text = "error: option '--record <url>' argument 'ftp://user:pass1@h/?api_key=abcd12' is invalid."
  expect(formatUsageError(text, { path: 'touchstone emulator' })).toContain(
    'ftp://(hidden):(hidden)@h/?api_key=(hidden)',
  )
})
