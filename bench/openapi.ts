/**
 * Tests the emulator against its own OpenAPI document with schemathesis, which generates valid and invalid requests
 * from the document and validates each response. schemathesis requires Python; the first run installs it into the
 * user's cache directory. Prints JSON, then one line; `--out FILE` also stores the JSON. Defaults: `--examples 150
 * --seed 1`. Exit code: 0 if all responses were valid, 1 if not, 3 if schemathesis could not be installed or started.
 */
import { spawnSync, type StdioOptions } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { readFlags } from './read-flags.ts'
import { readLedger, waitUntilIdle } from './emulator-control.ts'
import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import { startEmulatorProcess } from './server-process.ts'

const VERSION = '4.32.5'
const CACHE = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'touchstone-bench',
  `schemathesis-${VERSION}`,
)
const PROGRAM = join(CACHE, 'bin', 'schemathesis')
const KEY = 'sk-svc-touchstone-funded'
const EXIT_NOT_INSTALLED = 3

const values = readFlags({
  examples: { type: 'string', default: '150' },
  seed: { type: 'string', default: '1' },
  out: { type: 'string' },
})

/**
 * Installs schemathesis into the cache directory, unless it is already there.
 * @returns false if Python or the package is not available
 */
function install(): boolean {
  if (existsSync(PROGRAM)) return true
  process.stderr.write(`schemathesis ${VERSION} is installed into ${CACHE}\n`)
  mkdirSync(dirname(CACHE), { recursive: true })
  const stdio: StdioOptions = ['ignore', 'ignore', 'inherit']
  const wasCreated = spawnSync('python3', ['-m', 'venv', CACHE], { stdio }).status === 0
  const flags = ['install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`]
  return wasCreated && spawnSync(join(CACHE, 'bin', 'pip'), flags, { stdio }).status === 0
}

/** Parses the counts in the summary that schemathesis prints. Returns 0 for all counts if there is no summary. */
function countsOf(received: string): Record<'generated' | 'passed' | 'skipped', number> {
  const line = /\d+ generated.*/.exec(received)?.[0] ?? ''
  const countOf = (what: string) => Number(new RegExp(`(\\d+) ${what}`).exec(line)?.[1] ?? 0)
  return { generated: countOf('generated'), passed: countOf('passed'), skipped: countOf('skipped') }
}

async function run(): Promise<number> {
  // Adapts the emulator to schemathesis, which accepts only status 405 for an unsupported method. schemathesis cannot
  // generate a `tool_choice` that names one of the tools, or JSON Schemas that are always valid.
  const options = ['wrong-method=405', 'tools=ignored', 'response-format=ignored']
  const emulator = await startEmulatorProcess(options.flatMap((option) => ['--option', option]))
  const { examples, seed } = values
  const flags = ['-H', `Authorization: Bearer ${KEY}`, '--max-examples', examples, '--seed', seed, '--no-color']
  const address = `${emulator.url}/__emulator/openapi.json`
  const env = { ...process.env, PYTHONWARNINGS: 'ignore' }
  const ended = spawnSync(PROGRAM, ['run', address, ...flags], {
    cwd: CACHE,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (ended.error !== undefined) {
    await emulator.stop()
    const why = `cannot run schemathesis ${VERSION} (${ended.error.message})`
    process.stdout.write(`openapi: ${why}. Delete ${CACHE} to reinstall it.\n`)
    return EXIT_NOT_INSTALLED
  }
  await waitUntilIdle(emulator.url)
  const { wrong } = await readLedger(emulator.url)
  await emulator.stop()
  const output = ended.stdout
  const counts = countsOf(output)
  const hasPassed = ended.status === 0 && counts.generated > 0 && wrong.length === 0
  if (!hasPassed) process.stderr.write(`${output}${ended.stderr}${wrong.join('\n')}\n`)
  printDocument(
    { bench: 'openapi', machine: describeMachine(), schemathesis: VERSION, examples, seed, ...counts, wrong },
    values.out,
  )
  process.stdout.write(
    `openapi: ${hasPassed ? 'conforms to the document' : 'deviates from the document'}, ` +
      `${counts.passed} of ${counts.generated} cases of schemathesis ${VERSION} passed, ${counts.skipped} skipped\n`,
  )
  return hasPassed ? 0 : 1
}

if (install()) {
  process.exitCode = await run()
} else {
  process.stdout.write(
    `openapi: cannot install schemathesis ${VERSION}. Install python3 with venv, and allow access to a package index.\n`,
  )
  process.exitCode = EXIT_NOT_INSTALLED
}
