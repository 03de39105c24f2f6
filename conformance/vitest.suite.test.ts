import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findRunnerCommands, RUNNER_COMMANDS } from '../common/testing/runner-commands.ts'
import { serveHttp } from '../common/testing/local-server.ts'

const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
const ENTRY = new URL('vitest.ts', import.meta.url).href

test('the tests of a Vitest file print no command of a CI runner that a target sends', async () => {
  const data = RUNNER_COMMANDS.map((id) => ({ id, object: id, created: id, owned_by: id }))
  const [text] = RUNNER_COMMANDS
  const choices = [{ index: 0, message: { role: text, content: 'x' }, finish_reason: text }]
  const body = JSON.stringify({ id: text, object: text, created: text, model: text, data, choices, usage: text })
  await using server = await serveHttp((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(body),
  )
  const root = await mkdtemp(join(tmpdir(), 'touchstone-vitest-'))
  const options = {
    url: server.url,
    keys: { funded: 'sk-svc-Fq7Lx2Vb9Tn4Rw8Zk3Mc6Yd1Hs5Gj0' },
    only: ['2.1', '2.3'],
  }
  await writeFile(
    join(root, 'a.test.ts'),
    `import { conformanceTests } from ${JSON.stringify(ENTRY)}\nconformanceTests(${JSON.stringify(options)})\n`,
  )
  const args = [VITEST, 'run', '--root', root, '--reporter', 'verbose', '--reporter', 'github-actions']
  const output = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      args,
      { env: { PATH: process.env['PATH'], GITHUB_ACTIONS: 'true' } },
      (_error, out, problem) => resolve(`${out}\n${problem}`),
    )
  })
  expect(output).toContain('the verdict of the run')
  // Vitest reports each failure as an annotation on purpose, and escapes its text.
  const annotations = /^::error file=[^\n]*::[^\n]*$/gm
  expect(output).toMatch(annotations)
  expect(findRunnerCommands(output.replaceAll(annotations, ''))).toEqual([])
})
