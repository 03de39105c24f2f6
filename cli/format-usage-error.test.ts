import { expect, test } from 'vitest'
import { formatUsageError } from './format-usage-error.ts'

test.each([
  [
    "error: unknown option '--tagret'\n(Did you mean --target?)",
    'touchstone load',
    "Unknown option '--tagret'. Did you mean --target?\n",
  ],
  [
    "error: missing required argument 'files'",
    'touchstone report matrix',
    "Missing required argument 'files'. See touchstone report matrix --help.\n",
  ],
  [
    'error: gateway.json already exists: choose another name',
    'touchstone init',
    'gateway.json already exists: choose another name.\n',
  ],
  ['error: Invalid --target. Did you mean http://a?', 'touchstone load', 'Invalid --target. Did you mean http://a?\n'],
  ['error: out/t is not a file: choose another name', 'touchstone init', 'out/t is not a file: choose another name.\n'],
  [
    'error: the key sk-svc-secret is invalid: use another one',
    'touchstone load',
    'The key (hidden) is invalid: use another one.\n',
  ],
  [
    "error: option '--rate <n>' argument '-1' is invalid. It must be a number greater than 0",
    'touchstone load',
    'Invalid --rate: "-1". It must be a number greater than 0.\n',
  ],
  [
    "error: option '--rate <n>' value 'x' from env 'RATE' is invalid. It must be a number greater than 0",
    'touchstone load',
    'Invalid --rate: "x". It must be a number greater than 0.\n',
  ],
  [
    "error: option '-t, --target <url>' argument missing",
    'touchstone load',
    '--target needs a value: -t, --target <url>. See touchstone load --help.\n',
  ],
  [
    "error: command-argument value 'x' is invalid for argument 'kind'. Allowed choices are load, prove.",
    'touchstone report schema',
    'Invalid kind: "x". It must be one of load, prove.\n',
  ],
])('formats %j as one line', (text, path, sentence) => {
  expect(formatUsageError(text, { path })).toBe(sentence)
})

test.each([
  ["error: unknown command 'conform'", "Unknown command 'conform'. Did you mean conformance?\n"],
  ["error: unknown command 'compare'", "Unknown command 'compare'. Did you mean report compare?\n"],
  ["error: unknown command 'c'", "Unknown command 'c'. The commands are conformance, load. See touchstone --help.\n"],
])('suggests the command that %j abbreviates', (text, sentence) => {
  expect(formatUsageError(text, { path: 'touchstone', commands: ['conformance', 'load'] })).toBe(sentence)
})

test.each([
  ["error: too many arguments for 'conformance'. Expected 0 arguments but got 1.", 'touchstone conformance'],
  ['Too many arguments: put k6 options after --, as in touchstone load -- http://127.0.0.1:8100.', 'touchstone load'],
])('suggests --target for an address without an option: %j', (text, path) => {
  const format = (...args: string[]) => formatUsageError(text, { path, args, flags: ['--target'] })
  expect(format('stray', 'http://127.0.0.1:8100')).toBe(
    'Too many arguments. Did you mean --target http://127.0.0.1:8100?\n',
  )
  expect(format('stray')).not.toMatch(/--target \S+\?/)
  expect(format('https://sk-svc-secret@example.com')).not.toMatch(/--target \S+\?|secret/)
  expect(format('https://example.com/sk-svc-secret')).not.toContain('secret')
})

test.each([
  [['--target', '--target-file'], '--target gateway.json'],
  [['--port', '--config'], '--config gateway.json'],
])('suggests the option of a file among %j', (flags, suggestion) => {
  const text = "error: too many arguments for 'x'. Expected 0 arguments but got 1."
  expect(formatUsageError(text, { path: 'touchstone x', args: ['gateway.json'], flags })).toBe(
    `Too many arguments. Did you mean ${suggestion}?\n`,
  )
})

test('suggests the flag with whose name an unknown flag ends', () => {
  const format = (flag: string) =>
    formatUsageError(`error: unknown option '${flag}'`, { path: 'touchstone load', flags: ['--rate', '--key'] })
  expect(format('--api-key')).toBe("Unknown option '--api-key'. Did you mean --key?\n")
  expect(format('--monkey')).toBe("Unknown option '--monkey'. See touchstone load --help.\n")
})

test('describes an argument of a command that takes only options', () => {
  const text = "error: too many arguments for 'prove'. Expected 0 arguments but got 1."
  expect(formatUsageError(text, { path: 'touchstone prove', args: ['5'], flags: ['--only'] })).toBe(
    'Too many arguments. This command takes only options, such as --only. See touchstone prove --help.\n',
  )
})

test.each([
  [['8080'], ['--port'], 'Too many arguments. Did you mean --port 8080?\n'],
  [
    ['8080'],
    ['--only'],
    'Too many arguments. This command takes only options, such as --only. See touchstone x --help.\n',
  ],
  [['help'], ['--port'], "'help' is not an argument. Did you mean touchstone x --help?\n"],
])('describes the stray arguments %j of a command with the flags %j', (args, flags, sentence) => {
  const text = "error: too many arguments for 'x'. Expected 0 arguments but got 1."
  expect(formatUsageError(text, { path: 'touchstone x', args, flags })).toBe(sentence)
})

test('suggests --help if the word help is read as the path of a document', () => {
  const text = 'error: the document help cannot be read (ENOENT): check the path'
  expect(formatUsageError(text, { path: 'touchstone report', args: ['help'] })).toBe(
    "'help' is not an argument. Did you mean touchstone report --help?\n",
  )
})

test('shows no secret of a URL', () => {
  const text = "error: option '--record <url>' argument 'ftp://user:pass1@h/?api_key=abcd12' is invalid."
  expect(formatUsageError(text, { path: 'touchstone emulator' })).toContain(
    'ftp://(hidden):(hidden)@h/?api_key=(hidden)',
  )
})
