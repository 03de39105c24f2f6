import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { ConformanceDocument } from '../reports/conformance-document.ts'
import { runCliInSharedProcess } from './testing/run-cli.ts'

const EXAMPLES = fileURLToPath(new URL('../examples/', import.meta.url))

test('--only-failed repeats only the checks that failed in the earlier run', async () => {
  const file = `${EXAMPLES}defective/conformance.json`
  // The cast is safe: the example is a conformance document (tests/examples.test.ts).
  const earlier = JSON.parse(await readFile(file, 'utf8')) as ConformanceDocument
  const failed = earlier.checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)
  expect(failed).not.toEqual([])
  const { exitCode, stdout } = await runCliInSharedProcess(['conformance', '--only-failed', file, '--list', '--json'])
  expect(exitCode).toBe(0)
  // The cast is safe: `--list --json` prints this shape.
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly { readonly id: string }[] }
  expect(checks.map(({ id }) => id).toSorted()).toEqual(failed.toSorted())
})

test.each([
  ['examples/emulator/conformance.json', 'no check failed in that run'],
  [
    'examples/load/load-chat-stream.json',
    'this document is from a load run. Specify the document of a conformance run.',
  ],
  ['examples/none.json', 'cannot be read (ENOENT)'],
])('--only-failed rejects %s in one sentence', async (file, sentence) => {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url))
  const { exitCode, stderr } = await runCliInSharedProcess(['conformance', '--only-failed', path])
  expect(exitCode).toBe(2)
  expect(stderr).toContain(sentence)
})
