import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readDocument } from './documents.ts'
import { createFullDocument } from './testing/full-document.ts'

async function fileWith(text: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'touchstone-')), 'document.json')
  await writeFile(file, text)
  return file
}

test('reads a document exactly as it was written', async () => {
  expect(await readDocument(await fileWith(JSON.stringify(createFullDocument())))).toEqual(createFullDocument())
})

test('reads no document that is too large, compressed or not', async () => {
  const bomb = (await fileWith('')).replace('.json', '.json.gz')
  await writeFile(bomb, Buffer.concat(Array.from({ length: 3 }, () => gzipSync(Buffer.alloc(64 * 2 ** 20)))))
  await expect(readDocument(bomb)).rejects.toThrow('cannot be read (ERR_BUFFER_TOO_LARGE)')
  const large = await fileWith('')
  await truncate(large, 2 ** 30)
  await expect(readDocument(large)).rejects.toThrow('cannot be read (more than 134217728 bytes)')
  await rm(large)
})

test.each([
  ['{', 'is not valid JSON'],
  [`{"kind":${'['.repeat(512)}${']'.repeat(512)}}`, 'is not valid JSON, or is nested more than 512 deep'],
  ['{"kind": "bill"}', 'give a conformance.json, prove.json or load-….json that a run wrote'],
])('rejects the document file %j', async (text, words) => {
  await expect(readDocument(await fileWith(text))).rejects.toThrow(words)
})

test.each([
  ['an unknown version', { ...createFullDocument(), schemaVersion: 1.3 }, 'schemaVersion must be 1'],
  ['an unknown field', { ...createFullDocument(), oracle: {} }, 'the field oracle is unknown'],
  ['a missing field', { ...createFullDocument(), causes: undefined }, 'causes is missing'],
  ['only a kind', { kind: 'load' }, 'schemaVersion is missing'],
])('rejects a document of a draft with %s in one sentence', async (_, document, problem) => {
  const file = await fileWith(JSON.stringify(document))
  await expect(readDocument(file)).rejects.toThrow(
    `the file ${file} was written by a draft or another version of touchstone, which this version does not read (${problem}): run the command again`,
  )
})

test('rejects a missing document file', async () => {
  await expect(readDocument('/nowhere/x.json')).rejects.toThrow('cannot be read (ENOENT)')
})
