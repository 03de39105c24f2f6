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
  ['a budget on an unknown metric', '--budget tfft.p99<=1s', 'has an unknown metric. Use one of ttft, itl'],
  [
    'a budget on an operation that the scenario does not send',
    '--scenario chat --budget images.e2e.p50<=1s',
    'which the scenario chat does not send',
  ],
  ['a budget file that cannot be read', '--budgets nowhere', '--budgets nowhere cannot be read (ENOENT)'],
  ['a trace that cannot be read', '--trace nowhere.jsonl', '--trace nowhere.jsonl cannot be read (ENOENT)'],
  ['an invalid trace', '--trace NOT_JSON', "The trace's line 1"],
  ['an invalid target address', '--target example', 'Invalid --target. It is not an http or https address'],
  [
    'a cost above --max-credits',
    '--scenario chat --max-credits 0.5',
    'more than --max-credits 0.5. Reduce the load, or confirm with --yes.',
  ],
  [
    'a spend limit for operations without a price',
    '--scenario images --max-credits 0.5',
    'The specification gives no prices for images and audio.',
  ],
  ['--count-prompts with --dry-run', '--count-prompts --dry-run', 'Use one of them'],
  [
    'a prompt count that may cost more than --max-credits',
    '--target NOTHING --scenario chat --count-prompts --max-credits 3',
    'may cost up to 5.0312 credits',
  ],
  ['a path without a k6', '--k6 nowhere', 'nowhere is not a k6 binary that runs on this machine'],
  ['an unknown option of k6', `${AT_EMULATOR} -- --bogus`, 'unknown flag: --bogus'],
  ['an address without --target', 'http://127.0.0.1:9', 'Did you mean --target http://127.0.0.1:9?'],
  ['an unexpected argument', 'stray', 'Too many arguments'],
  ['an invalid segment', '--segment 5/4', 'such as 1/4'],
  ['a missing --limit', `${AT_EMULATOR} --scenario rate-limit --limited-key FUNDED`, '--limit is missing'],
  ['a certificate file that cannot be read', `${AT_EMULATOR} --ca nowhere`, '--ca nowhere cannot be read (ENOENT)'],
  ['a rate for a closed loop', '--rate 5 --arrivals closed', '--rate cannot be combined with --arrivals'],
])(
  'exits with 2, prints one line and writes no document for %s',
  { timeout: SLOW_TEST_TIMEOUT_MS },
  async (_name, line, words) => {
    const { exitCode, stdout, stderr, load } = await run(line, { k6, known })
    const received = stderr.split('\n').filter((text) => text !== '' && text !== 'running')
    expect(received.join('\n')).toContain(words)
    expect(received).toHaveLength(1)
    expect({ exitCode, stdout, load }).toEqual({ exitCode: 2, stdout: '', load: undefined })
  },
)
