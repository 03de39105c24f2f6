import { mkdtemp, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeKnownFailures } from './write-known-failures.ts'

test('replaces a target file without changing the file that readers have open, and keeps a link to it', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-known-'))
  const [file, link] = [join(directory, 'file.json'), join(directory, 'link.json')]
  await writeFile(file, '{"url": "http://127.0.0.1:1"}')
  await symlink(file, link)
  await using opened = await open(file)
  await writeKnownFailures(link, [])
  expect(await opened.readFile('utf8')).toBe('{"url": "http://127.0.0.1:1"}')
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ url: 'http://127.0.0.1:1', knownFailures: [] })
  expect(await readdir(directory)).toEqual(['file.json', 'link.json'])
})
