import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runCliInSharedProcess } from './testing/run-cli.ts'

const EXAMPLES = fileURLToPath(new URL('../examples/', import.meta.url))
const GOOD = `${EXAMPLES}emulator/conformance.json`
const BAD = `${EXAMPLES}defective/conformance.json`
const LOAD = `${EXAMPLES}load/load-chat-stream.json`

const newDirectory = () => mkdtemp(join(tmpdir(), 'touchstone-report-'))

test('renders documents in every format, and prints the paths', async () => {
  const out = join(await newDirectory(), 'new')
  const { exitCode, stdout } = await runCliInSharedProcess([
    'report',
    BAD,
    LOAD,
    '--format',
    'html,junit,markdown,badge',
    '--out',
    out,
  ])
  expect(exitCode).toBe(0)
  const names = ['conformance', 'load-chat-stream'].flatMap((name) =>
    ['.html', '.junit.xml', '.md', '.svg'].map((ending) => name + ending),
  )
  expect((await readdir(out)).toSorted()).toEqual(names.toSorted())
  expect(stdout.trim().split('\n').toSorted()).toEqual(names.map((name) => join(out, name)).toSorted())
})

test('without --out, writes an HTML page next to its document', async () => {
  const directory = await newDirectory()
  await writeFile(join(directory, 'mine.json'), await readFile(GOOD))
  expect((await runCliInSharedProcess(['report', join(directory, 'mine.json')])).exitCode).toBe(0)
  expect((await readdir(directory)).toSorted()).toEqual(['mine.html', 'mine.json'])
})

test('a comparison exits with 1 if a result is worse, and with 0 otherwise', async () => {
  const out = await newDirectory()
  const worse = await runCliInSharedProcess([
    'report',
    'compare',
    `main=${GOOD}`,
    BAD,
    '--format',
    'html,markdown',
    '--out',
    out,
  ])
  expect(worse.exitCode).toBe(1)
  expect(worse.stdout).toContain('From conformant to non-conformant')
  expect(worse.stdout).toContain('before  main: conformant')
  expect((await readdir(out)).toSorted()).toEqual(['comparison.html', 'comparison.md'])
  expect(await runCliInSharedProcess(['report', 'compare', BAD, GOOD])).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await runCliInSharedProcess(['report', 'compare', LOAD, LOAD])).toMatchObject({ exitCode: 0, stderr: '' })
  // One document that is worse than the first suffices for exit code 1.
  expect((await runCliInSharedProcess(['report', 'compare', GOOD, GOOD, BAD])).exitCode).toBe(1)
})

test('a comparison reads the newest document of a directory that fits the other documents', async () => {
  const [before, after, empty] = await Promise.all([newDirectory(), newDirectory(), newDirectory()])
  const setYear = (text: string, year: number) => text.replace(/"startedAt": "\d{4}/, `"startedAt": "${year}`)
  const [good, bad, load] = await Promise.all([GOOD, BAD, LOAD].map((path) => readFile(path, 'utf8')))
  await writeFile(join(before, 'old.json'), setYear(bad ?? '', 2020))
  await writeFile(join(before, 'new.json'), setYear(good ?? '', 2021))
  await writeFile(join(before, 'load-chat-stream.json'), setYear(load ?? '', 2022))
  await writeFile(join(before, 'package.json'), '{}')
  await writeFile(join(after, 'conformance.json'), bad ?? '')
  const { exitCode, stdout } = await runCliInSharedProcess(['report', 'compare', before, after])
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining('From conformant to non-conformant')])
  expect((await runCliInSharedProcess(['report', 'compare', before, LOAD])).exitCode).toBe(0)
  expect(await runCliInSharedProcess(['report', 'compare', empty, LOAD])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`The directory ${empty} has no document`),
  })
})

test('a matrix report has a column for each target', async () => {
  const out = await newDirectory()
  expect((await runCliInSharedProcess(['report', 'matrix', `a=${GOOD}`, `b=${BAD}`, '--out', out])).exitCode).toBe(0)
  expect(await readFile(join(out, 'matrix.md'), 'utf8')).toContain('| requirement | a | b |')
})

test('prints the schema of a document', async () => {
  const { stdout } = await runCliInSharedProcess(['report', 'schema', 'load'])
  expect(JSON.parse(stdout)).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' })
})

test.each([
  [['report', GOOD, BAD, '--out', 'x'], 'would be written to the same file'],
  [['report', 'compare', GOOD, LOAD], 'conformance (conformance) and load (load-chat-stream)'],
  [['report', 'matrix', LOAD], 'load-chat-stream is a load document'],
])('rejects a usage error with one sentence and exit code 2: %j', async (args, words) => {
  const { exitCode, stderr, stdout } = await runCliInSharedProcess(args)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr.toLowerCase()).toContain(words.toLowerCase())
  expect(stderr.trim().split('\n')).toHaveLength(1)
})

test('report merge rejects a damaged result file of k6', async () => {
  const path = join(await newDirectory(), 'result.json')
  await writeFile(path, '{"run": {}, "operations": {}}')
  const { exitCode, stderr } = await runCliInSharedProcess(['report', 'merge', path])
  expect(exitCode).toBe(2)
  expect(stderr).toContain('result.json is damaged')
})

test('report history groups the runs of a directory, newest first', async () => {
  const directory = await newDirectory()
  await mkdir(join(directory, 'earlier'))
  const load = await readFile(LOAD, 'utf8')
  await writeFile(join(directory, 'load-chat-stream.json'), load)
  const earlier = load.replace(/"startedAt": "[^"]+"/, '"startedAt": "2020-01-02T03:04:05.000Z"')
  await writeFile(join(directory, 'earlier', 'load-chat-stream-1.json.gz'), gzipSync(earlier))
  await writeFile(join(directory, 'earlier', 'load-chat-stream-2.json'), '{"kind": "load", "schemaVersion": 1.5}')
  await writeFile(join(directory, 'conformance.json'), await readFile(BAD))
  const run = await runCliInSharedProcess(['report', 'history', directory, '--out', directory])
  expect(run).toMatchObject({ exitCode: 0, stdout: `${join(directory, 'history.html')}\n` })
  expect(run.stderr).toBe('Skipped documents of drafts or other versions of touchstone: 1.\n')
  const page = await readFile(join(directory, 'history.html'), 'utf8')
  expect(page).toContain('3 runs, grouped by target and scenario')
  expect(page.indexOf('2020-01-02 03:04 UTC')).toBeGreaterThan(page.indexOf('<h2 id="history-2-heading">Load of'))
  expect(page).toMatch(/<figcaption>Time to first token \(TTFT\), chat-stream<\/figcaption>/)
})

test('report history rejects a directory without documents in one sentence', async () => {
  const directory = await newDirectory()
  const { exitCode, stderr } = await runCliInSharedProcess(['report', 'history', directory])
  expect(exitCode).toBe(2)
  expect(stderr).toContain('There are no documents of conformance or load runs')
})
