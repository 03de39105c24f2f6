import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, beforeEach, expect, test } from 'vitest'

const EXTENSION = fileURLToPath(new URL('../scenarios/extension', import.meta.url))
/**
 * Timeout for empty caches. Go then downloads and compiles every module, and compiles it again for the race detector.
 */
const COLD_CACHE_TIMEOUT_MS = 900_000

interface ProgramEnd {
  /** Exit code, or -1 if the program did not start. */
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Environment with the flags of the k6 build, so that `go vet` and the build share Go's build cache. */
const BUILD_ENVIRONMENT = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-trimpath' }

function run(program: 'go' | 'gofmt', args: readonly string[], env = process.env): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: EXTENSION, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ exitCode, stdout, stderr })
    })
  })
}

let missing: string | undefined

beforeAll(async () => {
  missing = await findMissing()
}, COLD_CACHE_TIMEOUT_MS)

beforeEach((context) => {
  context.skip(missing !== undefined, missing)
})

/**
 * Downloads the modules that packages and tests need, so that the output of later commands shows no downloads. `go mod
 * download` would also require unused modules, which a module proxy may not have.
 * @returns the prerequisite that this machine lacks, or undefined
 */
async function findMissing(): Promise<string | undefined> {
  const version = await run('go', ['version'])
  if (version.exitCode !== 0) return 'Go is not installed: the k6 extension is not tested'
  const download = await run('go', ['list', '-deps', '-test', './...'])
  if (download.exitCode !== 0) return 'the Go modules of scenarios/extension cannot be downloaded: it is not tested'
  const { stdout } = await run('go', ['env', 'CGO_ENABLED'])
  return stdout.trim() === '1' ? undefined : 'there is no C compiler, which the race detector of Go needs'
}

test('the Go files of the extension are formatted with gofmt', async () => {
  expect(await run('gofmt', ['-l', '.'])).toEqual({ exitCode: 0, stdout: '', stderr: '' })
})

test('go vet finds nothing in the extension', { timeout: COLD_CACHE_TIMEOUT_MS }, async () => {
  expect(await run('go', ['vet', './...'], BUILD_ENVIRONMENT)).toEqual({ exitCode: 0, stdout: '', stderr: '' })
})

test('the extension passes its own tests under the race detector', { timeout: COLD_CACHE_TIMEOUT_MS }, async () => {
  // Excludes packages without tests, because Go would compile all of k6 for them. The vet test covers these packages.
  const listed = await run('go', ['list', '-f', '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}', './...'])
  const packages = listed.stdout.split('\n').filter((name) => name !== '')
  expect(packages).toContain('touchstone/k6/touchstone')
  const { exitCode, stdout, stderr } = await run('go', ['test', '-race', '-vet=off', ...packages])
  expect({ exitCode, output: exitCode === 0 ? '' : stdout + stderr }).toEqual({ exitCode: 0, output: '' })
})
