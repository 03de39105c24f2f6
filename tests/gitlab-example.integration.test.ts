import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { runCli } from '../cli/testing/run-cli.ts'

interface GitLabJob {
  readonly script: readonly string[]
  readonly after_script: readonly string[]
}

// The cast is safe: the test reads only these lists of the example.
const { touchstone } = parse(readFileSync(new URL('../examples/gitlab-ci.yml', import.meta.url), 'utf8')) as {
  readonly touchstone: GitLabJob
}

/** Splits a command of the example, which quotes only values without spaces. */
function splitCommand(line: string): string[] {
  const [npx, flag, program, ...args] = line.replaceAll(/["']/g, '').split(' ')
  expect([npx, flag, program]).toEqual(['npx', '--no', 'touchstone'])
  return args
}

test.each(touchstone.script)('GitLab can run %s', async (line) => {
  const args = splitCommand(line.replace('$GATEWAY_URL', 'http://127.0.0.1:8080'))
  const { exitCode, stdout, stderr } = await runCli([...args, '--dry-run'], { env: { TOUCHSTONE_KEY: 'sk-svc-0123' } })
  expect([exitCode, stderr]).toEqual([0, ''])
  // If the run sent too few requests for its budget, the line would also contain the expected number.
  if (args[0] === 'load') expect(stdout).toMatch(/^Budget ttft.p90<=1000ms: needs 64 samples$/m)
})

test('GitLab converts the documents of both runs, also after a failure', async () => {
  const [line = '', ...others] = touchstone.after_script
  expect([line, others]).toEqual([expect.stringContaining('touchstone-report/*.json'), []])
  const document = new URL('../examples/emulator/conformance.json', import.meta.url).pathname
  const args = splitCommand(line.replace('touchstone-report/*.json', document))
  const { exitCode, stdout } = await runCli([...args, '--out', '.'])
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('conformance.junit.xml')])
})
