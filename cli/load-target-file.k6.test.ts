import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Emulator, startEmulator } from '../emulator/start-emulator.ts'
import { useK6 } from './testing/run-load.ts'

const runLoad = useK6()
let emulator: Emulator
let file = ''

beforeAll(async () => {
  emulator = await startEmulator()
  file = join(await mkdtemp(join(tmpdir(), 'touchstone-load-')), 'gateway.json')
  const keys = { funded: 'GATEWAY_KEY', 'no-credits': 'NOT_SET' }
  const content = { url: emulator.url, keys, models: { chat: 'o3-mini' } }
  await writeFile(file, JSON.stringify(content))
  await writeFile(
    `${file}.without-credits.json`,
    JSON.stringify({ ...content, keys: { funded: 'GATEWAY_KEY' }, credits: false }),
  )
})
afterAll(() => emulator.close())

const run = (line: string) =>
  runLoad(line, {
    known: { FILE: file, WITHOUT: `${file}.without-credits.json` },
    env: { GATEWAY_KEY: emulator.keys.funded },
  })

test('a load run reads a target file', async () => {
  const { load, exitCode } = await run(`--target FILE --scenario chat --iterations 4`)
  expect([exitCode, load?.target.url, load?.target.models['chat']]).toEqual([0, emulator.url, 'o3-mini'])
  expect(load?.requests).toMatchObject({ sent: 4, ok: 4 })
  expect(load?.command).toContain(`load -- --target ${file} `)
  expect(JSON.stringify(load)).not.toContain(emulator.keys.funded)
})

test('a load run omits the credits of a target without credits', async () => {
  const { load, exitCode, stdout } = await run('--target WITHOUT --scenario chat --iterations 4')
  expect([exitCode, load?.requests.ok, stdout]).toEqual([0, 4, expect.not.stringMatching(/credits/i)])
  expect(load?.credits).toEqual({ estimate: null, counted: null, ledger: null, tokens: expect.anything() })
})

test('sends no load with a model that the target does not have', async () => {
  const before = emulator.requests().length
  const { load, exitCode, stdout } = await run('--target FILE --model own-model --rate 20 --duration 2s')
  expect([exitCode, load?.verdict, load?.requests.sent]).toEqual([3, 'incomplete', 0])
  expect(stdout).toContain('The target does not serve the model own-model: its list of models does not contain it')
  const paths = emulator.requests().slice(before)
  expect(paths.filter(({ path }) => path === '/v1/chat/completions').map(({ status }) => status)).toEqual([404])
})
