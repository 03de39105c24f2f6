import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, beforeEach, expect, test } from 'vitest'

const EXTENSION = fileURLToPath(new URL('../scenarios/extension', import.meta.url))
/** Nothing is compiled yet on a new machine, and the race detector needs everything a second time. */
const FIRST_TIME_MS = 900_000

interface Ended {
  readonly exitCode: number
  readonly said: string
}

/** Compiling as k6 is built, so that what is compiled for one serves the other. */
const AS_BUILT = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-trimpath' }

function go(program: 'go' | 'gofmt', ...args: readonly string[]): Promise<Ended> {
  const env = args[0] === 'vet' ? AS_BUILT : process.env
  return new Promise((resolve) => {
    execFile(program, args, { cwd: EXTENSION, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ exitCode, said: `${stdout}${stderr}` })
    })
  })
}

let missing: string | undefined

beforeAll(async () => {
  const modules = await go('go', 'list', '-deps', './...')
  const compiler = await go('go', 'env', 'CGO_ENABLED')
  if (modules.exitCode === -1) missing = 'Go is not installed: the extension of k6 is not tested'
  else if (modules.exitCode !== 0) missing = 'the modules of scenarios/extension cannot be reached: it is not tested'
  else if (compiler.said.trim() !== '1') missing = 'there is no C compiler, which the race detector of Go needs'
}, FIRST_TIME_MS)

beforeEach((context) => {
  context.skip(missing !== undefined, missing)
})

test.each([
  ['is formatted', 'gofmt', ['-l', '.']],
  ['has nothing that vet finds', 'go', ['vet', './...']],
] as const)('the extension %s', { timeout: FIRST_TIME_MS }, async (_name, program, args) => {
  expect(await go(program, ...args)).toEqual({ exitCode: 0, said: '' })
})

test('the extension passes its own tests, and the race detector', { timeout: FIRST_TIME_MS }, async () => {
  const { exitCode, said } = await go('go', 'test', '-race', './...')
  expect({ exitCode, said: exitCode === 0 ? '' : said }).toEqual({ exitCode: 0, said: '' })
})
