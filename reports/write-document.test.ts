import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readDocument } from './documents.ts'
import { EARLIER_LIMITS } from './earlier-documents.ts'
import { createFullDocument } from './testing/full-document.ts'
import { serializeDocument, serializePieces, writeDocument } from './write-document.ts'

test('escapes characters that control a terminal, and parses back to the same document', () => {
  const hostile = '\u001b[2J \u009b31m \u202egnp \u2028 \u200b \u{e0041} grüße 漢字 🪨 👍🏽 "\\u0041" </script>'
  const text = serializeDocument({ said: hostile, [hostile]: 1 })
  expect(JSON.parse(text)).toEqual({ said: hostile, [hostile]: 1 })
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  expect(text).toContain('grüße 漢字 🪨 👍🏽')
})

test('serializes a document in pieces to the same text', () => {
  const document = createFullDocument()
  expect([...serializePieces(document)].join('')).toBe(serializeDocument(document))
})

test('writes members in the order of the schema', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-'))
  const document = createFullDocument()
  const { kind, schemaVersion, ...rest } = document
  await writeDocument(join(directory, 'a.json'), document)
  await writeDocument(join(directory, 'b.json'), { ...rest, kind, schemaVersion })
  const [a, b] = await Promise.all(['a.json', 'b.json'].map((name) => readFile(join(directory, name), 'utf8')))
  expect(a).toBe(b)
  expect(JSON.parse(a ?? '')).toEqual(document)
})

test('keeps an invalid document under another name', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-'))
  const document = { ...createFullDocument(), durationMs: Number.NaN }
  await expect(writeDocument(join(directory, 'conformance.json'), document)).rejects.toThrow(
    /saved as .*conformance\.invalid\.json: durationMs must be a number/,
  )
  expect(await readdir(directory)).toEqual(['conformance.invalid.json'])
})

test('keeps an earlier document compressed in the directory `earlier`, from which it can be read', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-'))
  const path = join(directory, 'conformance.json')
  const document = createFullDocument()
  await writeDocument(path, { ...document, durationMs: 1 })
  const first = await readFile(path, 'utf8')
  await writeDocument(path, { ...document, durationMs: 2 })
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ durationMs: 2 })
  const [earlier = ''] = await readdir(join(directory, 'earlier'))
  expect(earlier).toMatch(/^conformance-\d{4}-\d\d-\d\dT[\d-]+\.\d{3}Z\.json\.gz$/)
  expect(await readDocument(join(directory, 'earlier', earlier))).toEqual(JSON.parse(first))
})

test('returns the number of earlier documents that exceeded the limit and were removed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-'))
  const path = join(directory, 'conformance.json')
  const years = Array.from({ length: EARLIER_LIMITS.documents }, (_, index) => String(1000 + index))
  await mkdir(join(directory, 'earlier'))
  const write = (year: string) => writeFile(join(directory, 'earlier', `load-x-${year}-01-01T00-00-00.000Z.json`), '{}')
  await Promise.all(years.map(write))
  expect(await writeDocument(path, createFullDocument())).toBe(0)
  expect(await writeDocument(path, createFullDocument())).toBe(1)
  expect((await readdir(join(directory, 'earlier'))).toSorted().slice(0, 2)).toEqual([
    expect.stringMatching(/^conformance-/),
    'load-x-1001-01-01T00-00-00.000Z.json',
  ])
})
