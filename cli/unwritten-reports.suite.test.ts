import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli, runCliInSharedProcess } from './testing/run-cli.ts'

const EXAMPLE = new URL('../examples/load/load-chat-stream.json', import.meta.url)

let directory = ''
let part = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-unwritten-'))
  // Creates directories with the names of the documents, because writing a file cannot replace a directory.
  await mkdir(join(directory, 'load-chat-stream.json', 'a'), { recursive: true })
  await mkdir(join(directory, 'prove.json', 'a'), { recursive: true })
  part = join(directory, 'part.json')
  const document: object = JSON.parse(await readFile(EXAMPLE, 'utf8'))
  await writeFile(part, JSON.stringify({ ...document, segment: { index: 0, count: 2 } }))
})
afterAll(() => rm(directory, { recursive: true }))

// Without k6, a load run ends immediately but still writes a report.
test.each([
  ['load', 'chat-stream', () => ['load']],
  ['report merge', 'chat-stream', () => ['report', 'merge', part]],
  ['prove', 'PROVEN', () => ['prove', '--only', '2.3/created-in-ms']],
])('%s reports in one sentence that its report could not be written', async (_, says, args) => {
  const env = { PATH: '', TOUCHSTONE_CACHE: join(directory, 'cache') }
  const { exitCode, stdout, stderr } = await runCli([...args(), '--out', directory], { env })
  expect(stdout).toContain(says)
  expect(stdout).not.toContain(directory)
  expect(stderr.trim().split('\n').at(-1)).toMatch(/^The report could not be written: \S+: /)
  expect(exitCode).toBe(4)
})

test.each([
  ['conformance', () => ['conformance']],
  ['load', () => ['load']],
  ['prove', () => ['prove']],
  ['report', () => ['report', part]],
  ['report merge', () => ['report', 'merge', part]],
])('%s reports an unwritable directory before it does anything', async (_, args) => {
  const { exitCode, stdout, stderr } = await runCliInSharedProcess([...args(), '--out', '/dev/null/x'])
  expect([exitCode, stdout, stderr]).toEqual([
    2,
    '',
    '--out /dev/null/x cannot be written (ENOTDIR). Choose another directory.\n',
  ])
})
