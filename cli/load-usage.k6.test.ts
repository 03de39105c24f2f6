import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Emulator, startEmulator } from '../emulator/start-emulator.ts'
import { findUnusedAddress } from './testing/load-targets.ts'
import {
  K6_BUILD_TIMEOUT_MS,
  type PlaceholderValues,
  runLoad as run,
  SLOW_TEST_TIMEOUT_MS,
} from './testing/run-load.ts'
import { findTestK6 } from './testing/test-k6.ts'

let k6 = ''
let missing: string | undefined
let emulator: Emulator
let known: PlaceholderValues = {}

beforeAll(async () => {
  const found = await findTestK6()
  if ('problem' in found) missing = found.problem
  else k6 = found.path
  emulator = await startEmulator()
  const notJson = join(await mkdtemp(join(tmpdir(), 'touchstone-load-')), 'trace.jsonl')
  await writeFile(notJson, 'not JSON\n')
  known = {
    EMULATOR: emulator.url,
    FUNDED: emulator.keys.funded,
    NOTHING: await findUnusedAddress(),
    NOT_JSON: notJson,
  }
}, K6_BUILD_TIMEOUT_MS)

afterAll(() => emulator.close())

beforeEach((context) => {
  context.skip(missing !== undefined, missing)
})

const AT_EMULATOR = '--target EMULATOR --key FUNDED'

test.each([
  ['an unknown scenario', '--scenario chatt', 'Unknown scenario "chatt". Did you mean chat? Use one of smoke, chat,'],
  ['an unknown profile', '--profile small', 'It must be one of smoke, average'],
  ['a budget on nothing known', '--budget tfft.p99<=1s', 'has an unknown metric. Use one of ttft, gap'],
  [
    'a budget on what is not sent',
    '--scenario chat --budget images.e2e.p50<=1s',
    'which the scenario chat does not send',
  ],
  ['budgets that cannot be read', '--budgets nowhere', '--budgets nowhere cannot be read (ENOENT)'],
  ['a trace that cannot be read', '--trace nowhere.jsonl', '--trace nowhere.jsonl cannot be read (ENOENT)'],
  ['a trace that is none', '--trace NOT_JSON', "The trace's line 1"],
  ['an address that is none', '--target example', 'Invalid --target. It is not an http or https address'],
  [
    'more than may be spent',
    '--scenario chat --max-credits 0.5',
    'more than --max-credits 0.5. Reduce the load, or confirm with --yes.',
  ],
  [
    'a cost that nobody knows',
    '--scenario images --max-credits 0.5',
    'The specification gives no prices for images and audio.',
  ],
  ['a count that would send something', '--count-prompts --dry-run', 'Use one of them'],
  [
    'a count that may cost too much',
    '--target NOTHING --scenario chat --count-prompts --max-credits 3',
    'may cost up to 5.0312 credits',
  ],
  ['a k6 that is none', '--k6 nowhere', 'nowhere is not a k6 that runs on this machine'],
  ['an option that k6 does not know', `${AT_EMULATOR} -- --bogus`, 'unknown flag: --bogus'],
  ['an address without its option', 'http://127.0.0.1:9', 'Did you mean --target http://127.0.0.1:9?'],
  ['options without a sign', 'stray', 'Too many arguments'],
  ['a part that is none', '--segment 5/4', 'such as 1/4'],
  ['a limit that nobody tells', `${AT_EMULATOR} --scenario rate-limit --limited-key FUNDED`, '--limit is missing'],
  ['certificates that cannot be read', `${AT_EMULATOR} --ca nowhere`, '--ca nowhere cannot be read (ENOENT)'],
  ['two sorts of load', '--rate 5 --arrivals closed', '--rate cannot be combined with --arrivals'],
])('exits with 2, one line and no document: %s', { timeout: SLOW_TEST_TIMEOUT_MS }, async (_name, line, words) => {
  const { exitCode, stdout, stderr, load } = await run(line, { k6, known })
  const received = stderr.split('\n').filter((text) => text !== '' && text !== 'running')
  expect(received.join('\n')).toContain(words)
  expect(received).toHaveLength(1)
  expect({ exitCode, stdout, load }).toEqual({ exitCode: 2, stdout: '', load: undefined })
})
