import { createHash } from 'node:crypto'
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, type TestContext, vi } from 'vitest'
import { findTestK6 } from '../../cli/testing/test-k6.ts'
import type { ConformanceDocument } from '../../reports/conformance-document.ts'
import {
  COMMONJS_PROGRAM,
  COMMONJS_TYPES_FILE,
  CONTAINER_PROGRAM,
  CONSUMER_PROGRAMS,
  SUITE_FILE,
  TYPES_FILE,
} from './consumer-files.ts'
import {
  createProject,
  installPackages,
  type InstalledPackage,
  installPackage,
  type InstallationProblem,
  readInstalledVersion,
  findRegistryProblem,
} from './installed-package.ts'
import { EXPECTED_OUTPUT, PACKAGE_MANAGERS, useWith } from './package-managers.ts'
import { runProgramOrThrow, runProgram } from './run-program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Maximum size of the package that the README states. */
const MAX_PACKED_BYTES = 1_750_000
const MAX_PACKAGES = 72
/** Checks that are not testable if a busy machine delivers the events of a stream together. */
const TIMED_CHECKS = new Set(['4.2/stream-progress', '4.2/compressed-stream-progress'])
const PUBLINT = 'publint@0.3.25'
const ATTW = '@arethetypeswrong/cli@0.18.5'
/** Options with which tsc also checks the type declarations of libraries. */
const TSC_FLAGS = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2024']
const TSC = ['node_modules/typescript/bin/tsc', ...TSC_FLAGS]
const COMMAND = 'node_modules/touchstone/dist/cli/bin.js'

// Each test starts programs that start others.
vi.setConfig({ testTimeout: 300_000 })

let installed: InstalledPackage | InstallationProblem

beforeAll(async () => {
  installed = await installPackage()
}, 300_000)

afterAll(async () => {
  if ('directory' in installed) await rm(dirname(installed.directory), { recursive: true, force: true })
})

function needPackage(context: TestContext): InstalledPackage {
  return 'reason' in installed ? context.skip(installed.reason) : installed
}

describe('the tarball', () => {
  test('the package is small and depends on no test runner, SDK or browser', async (context) => {
    const { packedBytes, directory } = needPackage(context)
    expect(packedBytes).toBeLessThan(MAX_PACKED_BYTES)
    const lock = await readFile(join(directory, 'package-lock.json'), 'utf8')
    // The cast is safe: npm wrote this lock file.
    const { packages } = JSON.parse(lock) as { readonly packages: Readonly<Record<string, object>> }
    const names = Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, ''))
    // Excludes the project, touchstone, and two versions of Node.js.
    expect(names.length - 4).toBeLessThan(MAX_PACKAGES)
    expect(names).toEqual(expect.arrayContaining(['touchstone', 'fastify']))
    const heavy = /^(?:vitest|vite|testcontainers|dockerode|openai|ai|@langchain\/.*|playwright.*|typescript)$/
    expect(names.filter((name) => heavy.test(name))).toEqual([])
  })

  test('the package contains the licence and the documents of the contract, but neither tests nor TypeScript', async (context) => {
    const { tarball } = needPackage(context)
    const { stdout } = await runProgramOrThrow(['tar', '-tzf', tarball], { cwd: dirname(tarball) })
    const paths = stdout.trim().split('\n')
    const documents = ['dist/contract/spec.md', 'dist/contract/gateway.md']
    const wanted = ['LICENSE', 'README.md', ...documents, 'dist/scenarios/extension/go.mod']
    expect(paths).toEqual(expect.arrayContaining(wanted.map((path) => `package/${path}`)))
    expect(paths.filter((path) => /\.test\.|_test\.go|\/testing\/|(?<!\.d)\.ts$/.test(path))).toEqual([])
  })

  test.for([
    [PUBLINT, 'publint', 'run', '--strict'],
    [ATTW, 'attw', '--profile', 'esm-only'],
  ])('the package passes %s', async ([name, ...command], context) => {
    const { directory, tarball } = needPackage(context)
    const npm = ['npm', 'exec', '--yes', '--prefer-offline', `--package=${name}`, '--', ...command, tarball]
    const { exitCode, stdout, stderr } = await runProgram(npm, { cwd: directory })
    if (exitCode !== 0 && stdout === '') context.skip(findRegistryProblem(stderr))
    expect(exitCode === 0 ? '' : stdout).toBe('')
  })
})

describe.each(['22.22', '26', 'own'])('from Node.js %s', (version) => {
  function start(context: TestContext, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { directory, nodes } = needPackage(context)
    return runProgram([nodes[version] ?? '', ...args], { cwd: directory, env })
  }

  test('the installed command has the same verdict as the repository', async (context) => {
    const ours = await start(context, [COMMAND, 'conformance', '--json'])
    expect([ours.exitCode, ours.stderr]).toEqual([0, ''])
    const theirs = await runProgram([process.execPath, 'cli/bin.js', 'conformance', '--json'], { cwd: ROOT })
    expect(findings(ours.stdout)).toEqual(findings(theirs.stdout))
  })

  test.for(Object.entries(CONSUMER_PROGRAMS))(
    'the installed package exports %s',
    async ([name, { program, prints }], context) => {
      const { directory } = needPackage(context)
      const file = `${name.replaceAll('/', '-')}.mjs`
      await writeFile(join(directory, file), program)
      const { exitCode, stdout, stderr } = await start(context, [file])
      expect([exitCode, stdout.trim(), stderr]).toEqual([0, prints, ''])
    },
  )

  test('a CommonJS file can require the package', async (context) => {
    const { directory } = needPackage(context)
    await writeFile(join(directory, 'program.cjs'), COMMONJS_PROGRAM.program)
    const { exitCode, stdout, stderr } = await start(context, ['program.cjs'])
    expect([exitCode, stdout.trim(), stderr]).toEqual([0, COMMONJS_PROGRAM.prints, ''])
  })

  test('the testcontainers entry reports a missing testcontainers package', async (context) => {
    const { exitCode, stderr } = await start(context, ['--eval', "import('touchstone/testcontainers')"])
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('run npm install --save-dev testcontainers')])
    expect(stderr).not.toContain('MODULE_NOT_FOUND')
  })

  test('the installed load test finds its k6 scripts, and loads the emulator', async (context) => {
    const k6 = await findTestK6()
    if ('problem' in k6) return context.skip(k6.problem)
    const run = await start(context, [COMMAND, 'load', '--scenario', 'smoke'], { TOUCHSTONE_K6: k6.path })
    expect([run.exitCode, run.stdout]).toEqual([0, expect.stringContaining('WITHIN BUDGETS  smoke')])
  })
})

test.for(PACKAGE_MANAGERS)('the package works in a project of %s', async (manager, context) => {
  const results = await useWith(manager, needPackage(context))
  expect('reason' in results ? context.skip(results.reason) : results).toEqual(EXPECTED_OUTPUT)
})

describe('released with k6', () => {
  const platform = `${process.platform}-${process.arch}`
  /** Maximum size of the tarball with k6 that docs/reference/supply-chain.md states. */
  const MAX_K6_BYTES = 20_000_000
  let project = ''
  let tarballs: readonly string[] = []
  let reason: string | undefined

  beforeAll(async () => {
    if ('reason' in installed) return
    // The release contains the k6 binary that other tests use, because building k6 again would take minutes.
    const k6 = await findTestK6()
    if ('problem' in k6) reason = k6.problem
    else if ((await runProgram(['go', 'version'], { cwd: ROOT }).catch(() => undefined)) === undefined)
      reason = 'Go is not installed, which lists the licences of the modules of k6'
    else {
      const out = join(dirname(installed.directory), 'release')
      const flags = ['--out', out, '--platform', platform, '--k6', k6.path, '--tarball', installed.tarball]
      await runProgramOrThrow([process.execPath, 'packaging/release.ts', ...flags], { cwd: ROOT })
      tarballs = (await readdir(out)).filter((name) => name.endsWith('.tgz')).map((name) => join(out, name))
      project = await createProject(join(dirname(installed.directory), 'with-k6'))
      reason = await installPackages(project, tarballs)
    }
  }, 300_000)

  function needRelease(context: TestContext): void {
    needPackage(context)
    if (reason !== undefined) context.skip(reason)
  }

  /** Runs the installed command in an environment without Go and without a cached k6. */
  function start(context: TestContext, args: readonly string[]) {
    needRelease(context)
    const empty = join(project, 'empty')
    const env = { PATH: empty, XDG_CACHE_HOME: empty, TOUCHSTONE_CACHE: undefined, TOUCHSTONE_K6: undefined }
    return runProgram([process.execPath, COMMAND, ...args], { cwd: project, env })
  }
  const folder = () => join(project, 'node_modules', '@touchstone', `k6-${platform}`)

  test('a release with k6 loads the emulator without Go', async (context) => {
    const { exitCode, stdout, stderr } = await start(context, ['load', '--scenario', 'smoke'])
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('WITHIN BUDGETS  smoke')])
    expect(stderr).not.toContain('building k6')
    const doctor = await start(context, ['doctor'])
    expect(doctor.stdout).toContain(`at ${join(folder(), 'bin', 'k6')}`)
  })

  test('packs k6 under its own licence, with its source and the licences of its modules', async (context) => {
    needRelease(context)
    const read = (name: string) => readFile(join(folder(), name), 'utf8')
    expect(JSON.parse(await read('package.json'))).toMatchObject({
      license: 'AGPL-3.0-only',
      os: [process.platform],
      cpu: [process.arch],
    })
    expect(await read('LICENSE')).toContain('GNU AFFERO GENERAL PUBLIC LICENSE')
    expect(await read('THIRD-PARTY-LICENSES')).toMatch(/^github\.com\/tidwall\/gjson v.*\n\n.*MIT/ms)
    expect(await read('source/go.sum')).toBe(await readFile(join(ROOT, 'scenarios/extension/go.sum'), 'utf8'))
    const digest = createHash('sha256')
      .update(await readFile(join(folder(), 'bin', 'k6')))
      .digest('hex')
    expect(await read('README.md')).toContain(digest)
    const sums = await readFile(join(dirname(tarballs[0] ?? ''), 'SHA256SUMS'), 'utf8')
    for (const tarball of tarballs) {
      const bytes = await readFile(tarball)
      expect(sums).toContain(`${createHash('sha256').update(bytes).digest('hex')}  ${basename(tarball)}\n`)
      expect(bytes.byteLength).toBeLessThan(MAX_K6_BYTES)
    }
  })

  test('does not run a k6 that was changed after the release', async (context) => {
    needRelease(context)
    const path = join(folder(), 'bin', 'k6')
    await appendFile(path, ' ')
    const { exitCode, stdout } = await start(context, ['load', '--scenario', 'smoke'])
    expect([exitCode, stdout]).toEqual([3, expect.stringContaining('its SHA-256 differs')])
  })
})

describe('in a project with vitest, TypeScript, testcontainers and the openai SDK', () => {
  let project = ''

  beforeAll(async () => {
    if ('reason' in installed) return
    project = await createProject(join(dirname(installed.directory), 'with-vitest'))
    const others = ['vitest', 'typescript', 'testcontainers', 'openai'].map(
      async (name) => `${name}@${await readInstalledVersion(name)}`,
    )
    const reason = await installPackages(project, [installed.tarball, ...(await Promise.all(others))])
    if (reason !== undefined) installed = { reason }
    await writeFile(join(project, 'suite.test.ts'), SUITE_FILE)
    await writeFile(join(project, 'types.ts'), TYPES_FILE)
    await writeFile(join(project, 'types.cts'), COMMONJS_TYPES_FILE)
  }, 300_000)

  function start(context: TestContext, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    needPackage(context)
    return runProgram([process.execPath, ...args], { cwd: project, env: { ...env, NO_COLOR: '1' } })
  }
  const vitest = ['node_modules/vitest/vitest.mjs', 'run']

  test.for([
    ['types.ts', '--module', 'nodenext'],
    ['types.ts', '--module', 'node16'],
    ['types.ts', '--module', 'esnext', '--moduleResolution', 'bundler'],
    // TypeScript allows require() of ES modules only with these settings. Node.js supports it from 22.12 on.
    ['types.cts', '--module', 'nodenext'],
    ['types.cts', '--module', 'node20'],
  ])('the types of every entry compile, and reject errors: %j', async (args, context) => {
    const { exitCode, stdout } = await start(context, [...TSC, ...args])
    expect([exitCode, stdout]).toEqual([0, ''])
  })

  test('the exported container is a container of testcontainers', async (context) => {
    needPackage(context)
    await writeFile(join(project, 'container.mjs'), CONTAINER_PROGRAM)
    const { exitCode, stdout, stderr } = await start(context, ['container.mjs'])
    const message = 'Invalid latency: "warp". There is no latency profile'
    expect([exitCode, stderr, JSON.parse(stdout)]).toEqual([0, '', [true, 'function', message.slice(0, 40)]])
  })

  test('each check runs as a test of the project', async (context) => {
    const { exitCode, stdout } = await start(context, vitest)
    expect(stdout).toMatch(/Tests +\d+ passed \(/)
    expect(exitCode).toBe(0)
  })

  test('a failing check makes its test fail with the reason', async (context) => {
    const { exitCode, stdout, stderr } = await start(context, vitest, { FAULT: '1' })
    expect(stderr).toMatch(/FAIL .*7\/breakdown-speech: /)
    expect(stderr).toContain('returned 500')
    expect(stderr).toContain('is non-conformant: ')
    expect(stdout).toMatch(/Tests +2 failed \|/)
    expect(exitCode).toBe(1)
  })

  test('an untestable check is skipped, and does not pass', async (context) => {
    const { exitCode, stdout, stderr } = await start(context, vitest, { OMIT_LIMITED_KEY: '1' })
    expect(stderr).toContain('is incomplete: ')
    expect(stdout).toMatch(/1 failed \| \d+ passed \| \d+ skipped/)
    expect(exitCode).toBe(1)
  })

  test('a test selected by name sends only its own requests', async (context) => {
    const { exitCode, stdout } = await start(context, [...vitest, '-t', '5/empty-token-models'])
    expect(Number(/sent (\d+)/.exec(stdout)?.[1])).toBeLessThan(10)
    expect(exitCode).toBe(0)
  })

  test('the command runs the checks, and finds a defect', async (context) => {
    const run = await start(context, [COMMAND, 'conformance', '--json'])
    expect(findings(run.stdout).verdict).toBe('conformant')
    const proof = await start(context, [COMMAND, 'prove', '--only', '4.5/input-assumed'])
    expect([proof.exitCode, proof.stdout]).toEqual([0, expect.stringContaining('PROVEN')])
  })
})

const COMPILE = {
  behaviour: 'the types of every entry compile',
  command: [...TSC, '--module', 'nodenext', 'types.ts', 'suite.test.ts'],
}
const RUN = {
  behaviour: 'each check runs as a test of the project',
  command: ['node_modules/vitest/vitest.mjs', 'run'],
}

describe.each([
  // Tests only the types with vitest 4.0.0, because this version starts no tests with the version of vite that npm now
  // installs with it.
  {
    title: 'the oldest supported packages',
    peers: ['vitest@4.0.0', 'openai@6.0.0', 'testcontainers@12.0.0'],
    steps: [COMPILE],
  },
  {
    title: 'the next major versions',
    peers: ['vitest@5.1.1', 'openai@7.57.0', 'testcontainers@12'],
    steps: [COMPILE, RUN],
  },
])('in a project with $title', ({ title, peers, steps }) => {
  let project = ''

  beforeAll(async () => {
    if ('reason' in installed) return
    project = await createProject(join(dirname(installed.directory), title.replaceAll(' ', '-')))
    const packages = [installed.tarball, ...peers, `typescript@${await readInstalledVersion('typescript')}`]
    const reason = await installPackages(project, packages)
    if (reason !== undefined) installed = { reason }
    await writeFile(join(project, 'suite.test.ts'), SUITE_FILE)
    await writeFile(join(project, 'types.ts'), TYPES_FILE)
  }, 300_000)

  test.for(steps)('$behaviour', async ({ command }, context) => {
    needPackage(context)
    const { exitCode, stdout } = await runProgram([process.execPath, ...command], { cwd: project })
    expect(exitCode === 0 ? '' : stdout).toBe('')
  })
})

/** Returns the parts of a document that every run has in common. Ports, times and request counts differ. */
function findings(text: string) {
  // The cast is safe: the conformance command serializes this type.
  const { verdict, checks } = JSON.parse(text) as ConformanceDocument
  const untimed = checks.filter(({ id }) => !TIMED_CHECKS.has(id))
  return { verdict, checks: untimed.map((check) => [check.id, check.verdict]) }
}
