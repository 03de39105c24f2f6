import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Emulator, startEmulator } from '../emulator/start-emulator.ts'
import { K6_BUILD_TIMEOUT_MS, runLoad, SLOW_TEST_TIMEOUT_MS } from './testing/run-load.ts'
import { findTestK6 } from './testing/test-k6.ts'

let k6 = ''
let missing: string | undefined
let emulator: Emulator
let file = ''

beforeAll(async () => {
  const found = await findTestK6()
  if ('problem' in found) missing = found.problem
  else k6 = found.path
  emulator = await startEmulator()
  file = join(await mkdtemp(join(tmpdir(), 'touchstone-load-')), 'gateway.json')
  const keys = { funded: 'GATEWAY_KEY', 'no-credits': 'NOT_SET' }
  await writeFile(file, JSON.stringify({ url: emulator.url, keys, models: { chat: 'o3-mini' } }))
}, K6_BUILD_TIMEOUT_MS)
afterAll(() => emulator.close())
beforeEach((context) => context.skip(missing !== undefined, missing))

const run = (line: string) => runLoad(line, { k6, known: { FILE: file }, env: { GATEWAY_KEY: emulator.keys.funded } })

test.each(['--target', '--target-file'])(
  '%s of a load run reads a target file',
  { timeout: SLOW_TEST_TIMEOUT_MS },
  async (flag) => {
    const { load, exitCode } = await run(`${flag} FILE --scenario chat --iterations 4`)
    expect([exitCode, load?.target.url, load?.target.models['chat']]).toEqual([0, emulator.url, 'o3-mini'])
    expect(load?.requests).toMatchObject({ sent: 4, ok: 4 })
    expect(load?.command).toContain(`load -- ${flag} ${file} `)
    expect(JSON.stringify(load)).not.toContain(emulator.keys.funded)
  },
)

test('a load run omits the credits of a target without credits', { timeout: SLOW_TEST_TIMEOUT_MS }, async () => {
  const { load, exitCode, stdout } = await run('--target FILE --no-credits --scenario chat --iterations 4')
  expect([exitCode, load?.requests.ok, stdout]).toEqual([0, 4, expect.not.stringMatching(/credits/i)])
  expect(load?.credits).toEqual({ estimate: null, counted: null, ledger: null, tokens: expect.anything() })
})

test('sends no load with a model that the target does not have', { timeout: SLOW_TEST_TIMEOUT_MS }, async () => {
  const before = emulator.requests().length
  const { load, exitCode, stdout } = await run('--target FILE --model own-model --rate 20 --duration 2s')
  expect([exitCode, load?.verdict, load?.requests.sent]).toEqual([3, 'incomplete', 0])
  expect(stdout).toContain('The target does not serve the model own-model: its list of models does not contain it')
  const paths = emulator.requests().slice(before)
  expect(paths.filter(({ path }) => path === '/v1/chat/completions').map(({ status }) => status)).toEqual([404])
})
