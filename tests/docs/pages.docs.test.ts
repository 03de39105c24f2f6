import { expect, test, vi } from 'vitest'
import { findTestK6 } from '../../cli/testing/test-k6.ts'
import { readPages } from './read-pages.ts'
import { isOutputBlock, findInstruction } from './parse-code-blocks.ts'
import { runPage } from './run-page.ts'
import { createPageEnvironment } from './page-environment.ts'

// Runs at most two pages at once, because more concurrent load runs would slow each other down.
vi.setConfig({ testTimeout: 900_000, maxConcurrency: 2 })

/**
 * Pages whose commands do not run here. The benchmarks take minutes, and print only measurements that differ between
 * machines. The guides need packages from a registry; `tests/guides/` runs two of them. The guide to common servers needs
 * these servers, with models; `tests/example-servers.test.ts` tests its target files.
 */
const WITHOUT = new Set([
  'bench/README.md',
  'docs/reference/servers.md',
  'docs/testing-agents-jest.md',
  'docs/testing-agents-pytest.md',
])

const documents = readPages().filter(({ path }) => !WITHOUT.has(path))
const withCommands = documents.filter(({ blocks }) => blocks.some(({ language }) => language === 'sh'))

/** Blocks that do not run, with their reasons, which HTML comments of the page state. */
const NOT_RUN: readonly string[] = [
  'README.md: npm ci: the tests use the packages that it has already installed',
  'README.md: tests/shipping/package.shipping.test.ts packs and installs it',
  'conformance/prove/README.md: the whole proof takes about two minutes on two cores; the CI job `prove` makes it',
  'conformance/prove/README.md: no mutant is missed; reports/console/render-prove.test.ts shows this text',
  'conformance/targets/README.md: cli/target-file.integration.test.ts runs it with the file below',
  'docs/ci.md: it needs your server; cli/target-file.integration.test.ts runs the suite with such a list',
  'docs/ci.md: tests/shipping/package.shipping.test.ts packs and installs it',
  'docs/reference/clients.md: it installs two hundred packages',
  'docs/reference/conformance.md: the durations depend on the target',
  'docs/reference/conformance.md: the emulator has no such defect; conformance/sections/4.2-agents/streams-mutants.ts makes it',
  'docs/reference/emulator.md: schemathesis is a program of Python, which tests do not install',
  'docs/reference/emulator.md: it is of the command above',
  'docs/reference/other-software.md: it installs a dozen large packages',
  'emulator/control/testcontainers/README.md: it needs a Docker engine; tests/shipping/containers.shipping.test.ts builds the image',
  'scenarios/README.md: it takes a minute and a half; tests/load-scenarios.k6.test.ts makes shorter ones of every scenario',
  'scenarios/README.md: rate-limit takes over a minute; tests/load-scenarios.k6.test.ts makes both',
  'scenarios/deploy/README.md: it needs a cluster; tests/kubernetes runs these commands in one',
  'scenarios/deploy/README.md: it needs a cluster; tests/kubernetes runs these commands in one',
  'scenarios/extension/README.md: tests/extension.go.test.ts builds it',
  'scenarios/extension/README.md: tests/extension.go.test.ts makes the first; the others are for hours',
]

test('every block that does not run is on a list', () => {
  const reasons = documents.flatMap(({ path, blocks }) =>
    blocks.flatMap((block) => {
      const reason =
        findInstruction(block, 'not run') ?? findInstruction(block, 'without') ?? findInstruction(block, 'not compared')
      return reason === undefined ? [] : [`${path}: ${reason}`]
    }),
  )
  expect(reasons).toEqual(NOT_RUN)
})

test('every block has a language, so that no command is overlooked', () => {
  const bare = documents.flatMap(({ path, blocks }) =>
    blocks.filter(({ language }) => language === '').map(({ line }) => `${path}:${line}`),
  )
  expect(bare).toEqual([])
  const languages = new Set(documents.flatMap(({ blocks }) => blocks.map(({ language }) => language)))
  expect([...languages].toSorted()).toEqual(['diff', 'js', 'json', 'nginx', 'sh', 'text', 'ts', 'yaml'])
})

test('every block of output follows the commands that print it', () => {
  const misplaced = documents.flatMap(({ path, blocks }) =>
    blocks.flatMap((block, at) => {
      if (!isOutputBlock(block)) return []
      const command = blocks.slice(0, at).findLast(({ language }) => language === 'sh')
      return command === undefined || findInstruction(command, 'not run') !== undefined ? [`${path}:${block.line}`] : []
    }),
  )
  expect(misplaced).toEqual([])
})

test.concurrent.each(withCommands)('$path shows the actual output', async ({ path, text }) => {
  const k6 = await findTestK6()
  const k6Path = 'path' in k6 ? k6.path : undefined
  const environment = await createPageEnvironment({ k6Path, hasNpm: path === 'README.md' })
  const problems = await runPage(text, environment, 'path' in k6).finally(() => environment.close())
  expect(problems.map(({ line, message }) => `${path}:${line}: ${message}`)).toEqual([])
})

test('every block that needs k6 ran', async (context) => {
  const k6 = await findTestK6()
  if ('problem' in k6) context.skip(k6.problem)
  expect(
    withCommands.flatMap(({ blocks }) => blocks).some((block) => findInstruction(block, 'needs k6') !== undefined),
  ).toBe(true)
})
