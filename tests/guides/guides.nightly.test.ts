import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { PageEnvironment } from '../docs/page-environment.ts'
import { runPage } from '../docs/run-page.ts'
import { isInstalled } from '../reverse-proxies/start-program.ts'
import { installPackages } from '../shipping/installed-package.ts'
import { runProgramOrThrow } from '../shipping/run-program.ts'

// Installs the package, Jest, pytest and the SDKs in a project outside the repository, and runs the guides there.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const JAVASCRIPT_PACKAGES = ['jest@30.5.2', 'openai@7.57.0']
const PYTHON_PACKAGES = ['pytest', 'openai']

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

/** Directory of the npm project in which the guides run, or undefined for a temporary one. A kept project is faster. */
const KEPT_DIRECTORY = process.env['TOUCHSTONE_GUIDES']
let project = ''
let problem: string | undefined

beforeAll(async () => {
  project = KEPT_DIRECTORY ?? (await mkdtemp(join(tmpdir(), 'touchstone-guides-')))
  await mkdir(project, { recursive: true })
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'elsewhere', private: true }))
  await runProgramOrThrow(['npm', 'pack', '--pack-destination', project], { cwd: ROOT })
  // The cast is safe: npm requires a version.
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }
  problem = await installPackages(project, [`./touchstone-${version}.tgz`, ...JAVASCRIPT_PACKAGES])
  if (problem !== undefined || !isInstalled('python3') || existsSync(join(project, 'venv', 'installed'))) return
  await runProgramOrThrow(['python3', '-m', 'venv', 'venv'], { cwd: project })
  await runProgramOrThrow(['venv/bin/pip', 'install', '--quiet', ...PYTHON_PACKAGES], { cwd: project })
  await writeFile(join(project, 'venv', 'installed'), '')
})
afterAll(async () => {
  if (KEPT_DIRECTORY === undefined) await rm(project, { recursive: true, force: true })
})

/** Runs the blocks of a guide in the project. */
async function runGuide(page: string): Promise<readonly string[]> {
  const environment: PageEnvironment = {
    directory: project,
    hasNpm: true,
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:npm_|VITEST|NODE_ENV$)/i.test(name))),
      PATH: `${join(project, 'venv', 'bin')}:${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}`,
    },
    replacePlaceholders: (text) => text,
    close: async () => {},
  }
  const text = await readFile(join(ROOT, page), 'utf8')
  const problems = await runPage(text, environment, false)
  return problems.map(({ line, message }) => `${page}:${line}: ${message}`)
}

test('the guide for Jest works in a project with the installed package', async (context) => {
  if (problem !== undefined) context.skip(problem)
  expect(await runGuide('docs/testing-agents-jest.md')).toEqual([])
})

test('the guide for pytest works in a project with the installed package', async (context) => {
  if (problem !== undefined) context.skip(problem)
  if (!isInstalled('python3')) context.skip('python3 is not installed')
  expect(await runGuide('docs/testing-agents-pytest.md')).toEqual([])
})
