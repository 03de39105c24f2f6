import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { TOOL_VERSION } from '../../cli/version.ts'
import { findFreePort } from '../../common/testing/free-port.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'
import type { PageEnvironment } from '../docs/page-environment.ts'
import { runPage } from '../docs/run-page.ts'
import { isInstalled } from '../reverse-proxies/start-program.ts'
import { createProject, installPackages } from '../shipping/installed-package.ts'
import { runProgram, runProgramOrThrow } from '../shipping/run-program.ts'

// Installs the package, Jest, pytest and the SDKs in a project outside the repository, and runs the guides there.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const JAVASCRIPT_PACKAGES = ['jest@30.5.2', 'openai@7.57.0', 'vitest', 'typescript']
const PYTHON_PACKAGES = ['pytest', 'openai', 'build']
const NODE_VERSIONS = ['22.22', '24', '26']
/** Port of the recording emulator in the guides. */
const GUIDE_PORT = '8731'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

/** Directory of the npm project in which the guides run, or undefined for a temporary one. A kept project is faster. */
const KEPT_DIRECTORY = process.env['TOUCHSTONE_GUIDES']
let project = ''
let problem: string | undefined

beforeAll(async () => {
  project = KEPT_DIRECTORY ?? (await mkdtemp(join(tmpdir(), 'touchstone-guides-')))
  await mkdir(project, { recursive: true })
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'elsewhere', type: 'commonjs' }))
  await runProgramOrThrow(['npm', 'pack', '--pack-destination', project], { cwd: ROOT })
  // Node.js is not in the project, because npx would prefer one version to that of the PATH.
  const nodes = NODE_VERSIONS.map((one) => `node-${one}@npm:node-${process.platform}-${process.arch}@${one}`)
  problem =
    (await installPackages(project, [`./touchstone-${TOOL_VERSION}.tgz`, ...JAVASCRIPT_PACKAGES])) ??
    (await installPackages(await createProject(join(project, 'nodes')), nodes))
  if (problem !== undefined || !isInstalled('python3') || existsSync(join(project, 'venv', 'installed'))) return
  await runProgramOrThrow(['python3', '-m', 'venv', 'venv'], { cwd: project })
  await runProgramOrThrow(['venv/bin/pip', 'install', '--quiet', ...PYTHON_PACKAGES], { cwd: project })
  await writeFile(join(project, 'venv', 'installed'), '')
})
afterAll(async () => {
  if (KEPT_DIRECTORY === undefined) await rm(project, { recursive: true, force: true })
})

/**
 * Runs the blocks of a guide in the project. An emulator replaces the service that the guide records.
 * @param programs directory of the Node.js that the commands use
 * @param section heading of the only section to run
 */
async function runGuide(
  page: string,
  {
    programs = join(process.execPath, '..'),
    section = '',
  }: { readonly programs?: string; readonly section?: string } = {},
): Promise<readonly string[]> {
  await rm(join(project, 'recordings'), { recursive: true, force: true })
  const service = await startEmulator()
  const port = String(await findFreePort())
  const environment: PageEnvironment = {
    directory: project,
    hasNpm: true,
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:npm_|VITEST|NODE_ENV$)/i.test(name))),
      PATH: `${programs}:${join(project, 'venv', 'bin')}:${process.env['PATH'] ?? ''}`,
      KEY: service.keys.funded,
    },
    replacePlaceholders: (text) =>
      text
        .replaceAll('https://api.example.com', service.url)
        .replaceAll(GUIDE_PORT, port)
        // Runs the command of the installed package instead of the command of this repository.
        .replaceAll('npx --no touchstone ', 'node_modules/.bin/touchstone '),
    close: () => service.close(),
  }
  const text = await readFile(join(ROOT, page), 'utf8')
  const part = section === '' ? text : text.split(/^## /m).find((one) => one.startsWith(section))
  if (part === undefined) throw new Error(`${page} has no section "${section}".`)
  const problems = await runPage(part, environment, false).finally(() => environment.close())
  return problems.map(({ line, message }) => `${page}:${line}: ${message}`)
}

describe.each(NODE_VERSIONS)('with Node.js %s', (version) => {
  test.for([
    ['README.md', 'Develop and test against the emulator'],
    ['docs/emulator.md', 'Use it without a socket'],
    ['docs/testing-agents.md', ''],
  ] as const)('the examples of %s work in a CommonJS project: %s', async ([page, section], context) => {
    if (problem !== undefined) context.skip(problem)
    const programs = join(project, 'nodes', 'node_modules', `node-${version}`, 'bin')
    const printed = await runProgramOrThrow(['npx', 'node', '--version'], {
      cwd: project,
      env: { PATH: `${programs}:${process.env['PATH'] ?? ''}` },
    })
    expect(printed.stdout).toContain(`v${version}.`)
    expect(await runGuide(page, { programs, section })).toEqual([])
  })
})

test('the examples compile with strict TypeScript', async (context) => {
  if (problem !== undefined) context.skip(problem)
  const files = (await readdir(project)).filter((name) => /\.m?ts$/.test(name))
  expect(files).toEqual(expect.arrayContaining(['agent.test.ts', 'example.mts', 'greet.test.ts']))
  const tsc = ['node_modules/typescript/bin/tsc', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024']
  const { stdout } = await runProgram([process.execPath, ...tsc, ...files], { cwd: project })
  expect(stdout).toBe('')
})

test('the guide for Jest works in a project with the installed package', async (context) => {
  if (problem !== undefined) context.skip(problem)
  expect(await runGuide('docs/testing-agents-jest.md')).toEqual([])
})

test('the guide for pytest works in a project with the installed package', async (context) => {
  if (problem !== undefined) context.skip(problem)
  if (!isInstalled('python3')) context.skip('python3 is not installed')
  expect(await runGuide('docs/testing-agents-pytest.md')).toEqual([])
})

test('the Python package builds as a wheel of the version of the npm package, and its fixtures work', async (context) => {
  if (problem !== undefined) context.skip(problem)
  if (!isInstalled('python3')) context.skip('python3 is not installed')
  const [source, wheels] = [join('node_modules', 'touchstone', 'dist', 'emulator', 'python'), join(project, 'wheels')]
  await runProgramOrThrow(['venv/bin/python', '-m', 'build', '--outdir', wheels, source], { cwd: project })
  const wheel = `touchstone_emulator-${TOOL_VERSION}-py3-none-any.whl`
  expect((await readdir(wheels)).toSorted()).toEqual([wheel, `touchstone_emulator-${TOOL_VERSION}.tar.gz`])
  const install = ['venv/bin/pip', 'install', '--force-reinstall', '--no-deps', join(wheels, wheel)]
  await runProgramOrThrow(install, { cwd: project })
  const runTests = (PATH: string) =>
    runProgram(['venv/bin/python', '-m', 'pytest', '-q', 'test_agent.py'], { cwd: project, env: { PATH } })
  const node = `${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}`
  expect((await runTests(node)).stdout).toContain('1 passed')
  const withoutNode = await runTests(join(project, 'venv', 'bin'))
  expect(withoutNode.stdout).toContain('There is no npx on the PATH. Install Node.js 22.22 or later')
})
