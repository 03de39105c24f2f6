import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

test('--only-failed repeats the failed checks of a gateway', async () => {
  // The cast is safe: the example is a conformance document (tests/examples.test.ts).
  const earlier = JSON.parse(await readFile(`${EXAMPLES}defective/conformance.json`, 'utf8')) as ConformanceDocument
  const checks = earlier.checks
    .filter(({ verdict }) => verdict === 'fail')
    .slice(0, 1)
    .map((check) => ({ ...check, id: 'gateway/upload', section: 'gateway' }))
  const { verdict, summary, spent, durationMs } = earlier
  const empty = { requirements: [], causes: [], notPlanned: [], remarks: [], remarkFindings: [] }
  const gateway = { ...empty, upstream: 'http://127.0.0.1:2', verdict, summary, checks, spent, durationMs }
  const file = join(await mkdtemp(join(tmpdir(), 'touchstone-')), 'conformance.json')
  await writeFile(file, JSON.stringify({ ...earlier, ...empty, checks: [], gateway }))
  const addresses = ['--target', 'http://127.0.0.1:1', '--upstream', 'http://127.0.0.1:2']
  const { stdout } = await runCliInSharedProcess(['conformance', '--only-failed', file, ...addresses, '--list'])
  expect(stdout).toMatch(/^gateway\/upload  stated .*\n\n1 checks?\n$/)
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
