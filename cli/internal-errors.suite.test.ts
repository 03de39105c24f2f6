import { expect, test } from 'vitest'
import { runCli } from './testing/run-cli.ts'

const PRELOADED = new URL('testing/fail-later.ts', import.meta.url).href

/** Runs a command in whose process an error escapes at this point. */
async function runFailing(args: readonly string[], failWith: string, failAt: string) {
  const env = { NODE_OPTIONS: `--import ${PRELOADED}`, FAIL_WITH: failWith, FAIL_AT: failAt }
  return runCli(args, { env })
}

const SENTENCE = /^touchstone has an internal error in [\w.-]+:\d+: .*\. Please report it\.$/m
const STACK = /^\s+at /m

test.each(['rejection', 'overflow'])(
  'writes the document and exits with 4 after an escaped %s in a run of the suite',
  async (failWith) => {
    const { exitCode, stderr, document } = await runFailing(['conformance', '--only', '2.1'], failWith, 'connect')
    expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: expect.stringMatching(SENTENCE) })
    expect(stderr).not.toMatch(STACK)
    expect(document?.verdict).toBe('harness-error')
  },
)

test.each([
  ['conformance', ['--only', '2.1'], 'connect'],
  ['emulator', ['--port', '0'], 'listen'],
  ['prove', ['--only', '4.5/input-assumed'], 'connect'],
] as const)('%s ends with one sentence and without a stack trace', async (command, args, failAt) => {
  const { exitCode, stderr, stdout } = await runFailing([command, ...args], 'exception', failAt)
  expect({ exitCode, output: stdout + stderr }).toEqual({ exitCode: 4, output: expect.stringMatching(SENTENCE) })
  expect(stdout + stderr).not.toMatch(STACK)
})
