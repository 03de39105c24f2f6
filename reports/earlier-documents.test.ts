import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeRemovedDocuments, removeOldestDocuments } from './earlier-documents.ts'

/** Creates a directory with earlier documents of 10 bytes, and a file of the user. */
async function createEarlier(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-'))
  await mkdir(join(directory, 'earlier'))
  const names = ['load-chat-2026-01-02', 'conformance-2026-01-03', 'load-chat-2026-01-04', 'conformance-2026-01-01']
  const files = [...names.map((name) => `${name}T10-00-00.000Z.json`), 'mine.json']
  await Promise.all(files.map((name) => writeFile(join(directory, 'earlier', name), '0123456789')))
  return directory
}

test.each([
  ['documents', { documents: 2, bytes: 1000 }],
  ['bytes', { documents: 100, bytes: 29 }],
])('removes the oldest earlier documents of any kind beyond the limit of %s', async (_name, limits) => {
  const directory = await createEarlier()
  expect(await removeOldestDocuments(directory, limits)).toBe(2)
  expect((await readdir(join(directory, 'earlier'))).toSorted()).toEqual([
    'conformance-2026-01-03T10-00-00.000Z.json',
    'load-chat-2026-01-04T10-00-00.000Z.json',
    'mine.json',
  ])
})

test('removes nothing within the limits, and nothing where there are no earlier documents', async () => {
  const directory = await createEarlier()
  expect(await removeOldestDocuments(directory)).toBe(0)
  expect(await removeOldestDocuments(join(directory, 'elsewhere'))).toBe(0)
  expect(await readdir(join(directory, 'earlier'))).toHaveLength(5)
})

test('reports removed documents in one line, and none if nothing was removed', () => {
  expect(describeRemovedDocuments(0, 'out')).toEqual([])
  expect(describeRemovedDocuments(1, 'out')).toEqual([
    { what: 'Earlier documents, at most 100 and 50 MB (the oldest was removed)', paths: [join('out', 'earlier')] },
  ])
})
