import { expect, test } from 'vitest'
import { InvalidOptionError } from '../../conformance/run-conformance.ts'
import { InvalidOptionError as InvalidEmulatorOption } from '../../emulator/start-emulator.ts'
import { CommandLineError } from '../command-line-error.ts'
import { describeUsageError } from './conformance-messages.ts'
import { describeStartError, describeUnusedOptions } from './emulator-messages.ts'
import { InvalidOptionError as InvalidLoadOption, prepareLoad } from '../../load/run-load.ts'
import { describeLoadPlan, flagOf as loadFlagOf, formatLoadOptionName } from './load-messages.ts'

const flagOf = (option: string) => `--${option}`

test.each([
  [{ reason: 'invalid-value', option: 'keys.limited', problem: 'is empty' }, '--limited-key is empty.'],
  [{ reason: 'invalid-value', option: 'url', problem: 'is empty', file: 'a.json' }, 'a.json: url is empty.'],
  [{ reason: 'same-key', option: 'keys.small', other: 'keys.funded' }, '--small-key and --key are the same key'],
  [{ reason: 'credentials-in-url', option: 'baseUrl' }, '--base-url must not contain a user name or password'],
  [
    { reason: 'unknown-check', value: '9', example: '5/x', file: 'a.json' },
    'a.json: No check has the ID or section "9"',
  ],
] as const)('describes %j with flags, or with fields of a target file', (params, sentence) => {
  expect(describeUsageError(new InvalidOptionError(params))).toContain(sentence)
})

test.each([
  ['chatstream', 'Unknown scenario "chatstream". Did you mean chat-stream? Use one of chat, chat-stream.'],
  ['chats', 'Unknown scenario "chats". Did you mean chat? Use one of chat, chat-stream.'],
  ['video', 'Unknown scenario "video". Use one of chat, chat-stream.'],
])('suggests a scenario of load tests for %j', (value, message) => {
  const known = ['chat', 'chat-stream']
  const error = new InvalidLoadOption({ reason: 'unknown-value', option: 'scenario', value, known })
  expect(error.describe(loadFlagOf)).toBe(message)
})

test('names the options of a load run by flag and environment variable', () => {
  const names = (['vus', 'limitedKey', 'calibration', 'k6Options'] as const).map(formatLoadOptionName)
  expect(names).toEqual(['--vus', '--limited-key or TOUCHSTONE_KEY_LIMITED', '--no-calibration', 'options after --'])
})

test('formats only usage errors of the command line, and no other error', () => {
  expect(describeUsageError(new CommandLineError('Give a key.'))).toBe('Give a key.')
  expect(describeUsageError(new Error('broken'))).toBeUndefined()
})

test.each([
  [
    { reason: 'invalid-value', option: 'controlToken', expected: 'It must be 1.' },
    'Invalid --controlToken. It must be 1.',
  ],
] as const)('describes %j of the emulator with flags', (params, sentence) => {
  expect(new InvalidEmulatorOption(params).describe(flagOf)).toContain(sentence)
})

test('warns about options of the emulator that have no effect together', () => {
  const record = { record: 'http://127.0.0.1:1' }
  expect(describeUnusedOptions({ ...record, recordDir: 'a', port: 1, allowFaultHeader: false }, flagOf)).toEqual([])
  expect(describeUnusedOptions({ ...record, seed: 1, answerTokens: 5, replayPace: 'instant' }, flagOf)).toEqual([
    'Warning: --seed, --answerTokens have no effect with --record.',
    'Warning: --replayPace has no effect without --replay.',
  ])
  expect(describeUnusedOptions({ recordDir: 'a', seed: 1 }, flagOf)).toEqual([
    'Warning: --recordDir has no effect without --record.',
  ])
})

test.each([
  ['EACCES', 'The operating system does not allow this user to listen on port 8080.'],
  ['EADDRNOTAVAIL', 'This machine has no address 127.0.0.1.'],
  ['EMFILE', 'The emulator cannot listen on 127.0.0.1:8080 (EMFILE).'],
])('describes the error %s of a port', (code, sentence) => {
  const error = Object.assign(new Error('listen'), { code })
  expect(describeStartError(error, { port: 8080 }, flagOf)).toContain(sentence)
})

test('describes a search whose first level is also its highest', async () => {
  const textFor = async (vus: number) =>
    describeLoadPlan(await prepareLoad({ find: ['ttft.p50<=300ms'], findOver: 'streams', vus }))
  expect(await textFor(1)).toContain('The search would measure 1 parallel stream until')
  const text = await textFor(4)
  expect(text).toContain('The search would measure 4 parallel streams until')
  expect(text).toMatch(/It takes about [\d.]+ (?:s|min) if/)
})
