import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { prepareDirectory } from '../common/prepare-directory.ts'
import { createProgressLine } from './progress-line.ts'
import { reportConformance } from './report-conformance.ts'
import { createCheckEntry, createDocument } from './testing/sample-document.ts'

const DOCUMENT = createDocument({ checks: [createCheckEntry('1/a', 'pass')], verdict: 'conformant' })

test('moves an older document to the directory `earlier`, and writes only the document and its page', async () => {
  const directory = join(await mkdtemp(join(tmpdir(), 'touchstone-')), 'new', 'reports')
  await prepareDirectory(directory)
  await writeFile(join(directory, 'conformance.json'), 'old')
  let printed = ''
  const print = (text: string) => (printed += text)
  await reportConformance(DOCUMENT, { directory, hasColor: false, exitCode: 0, print, printPaths: print })
  expect(await readdir(directory)).toEqual(['conformance.html', 'conformance.json', 'earlier'])
  expect(JSON.parse(await readFile(join(directory, 'conformance.json'), 'utf8'))).toEqual(DOCUMENT)
  expect(printed).toContain(`CONFORMANT  ${DOCUMENT.target.url}`)
  expect(printed).toContain(`Every request and response: ${join(directory, 'conformance.json')}\n`)
})

test('prints the text before it reports an unwritable directory, and lists no file', async () => {
  let printed = ''
  const print = (text: string) => (printed += text)
  const options = { directory: '/dev/null/x', hasColor: false, exitCode: 0, print, printPaths: print }
  await expect(prepareDirectory('/dev/null/x')).rejects.toThrow('ENOTDIR')
  await expect(reportConformance(DOCUMENT, options)).rejects.toThrow('ENOTDIR')
  expect(printed).toContain('CONFORMANT')
  expect(printed).not.toContain('/dev/null')
})

test.runIf(process.platform === 'linux')(
  'rejects a report directory that cannot be created, without hanging',
  async () => {
    await expect(prepareDirectory('/proc/reports/new')).rejects.toThrow('ENOENT')
  },
)

test('rejects a file instead of a report directory, and uses an existing directory', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-'))
  await writeFile(join(directory, 'file'), '')
  await expect(prepareDirectory(join(directory, 'file'))).rejects.toThrow('EEXIST')
  await prepareDirectory(join(directory, 'a', 'b'))
  await prepareDirectory(join(directory, 'a', 'b'))
  expect(await readdir(join(directory, 'a'))).toEqual(['b'])
})

function progressOn(isTTY: boolean) {
  let text = ''
  let nowMs = 0
  const line = createProgressLine({ isTTY, write: (part) => (text += part) }, () => nowMs)
  const updateAt = (ms: number, done: number): void => {
    nowMs = ms
    line.update(done, 9)
  }
  return { line, updateAt, text: () => text }
}

test('shows progress on a terminal after one second, at most ten times a second, and removes it', () => {
  const { line, updateAt, text } = progressOn(true)
  updateAt(900, 1)
  line.clear()
  expect(text()).toBe('')
  updateAt(1000, 2)
  updateAt(1050, 3)
  updateAt(1100, 4)
  line.clear()
  expect(text()).toBe('\r\u001b[2K2 of 9 checks, 1 s\r\u001b[2K4 of 9 checks, 1 s\r\u001b[2K')
})

test('writes no progress to a file', () => {
  const { line, updateAt, text } = progressOn(false)
  updateAt(5000, 2)
  line.clear()
  expect(text()).toBe('')
})
