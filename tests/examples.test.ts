import { readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readDocument } from '../reports/documents.ts'

const FOLDER = fileURLToPath(new URL('../examples/', import.meta.url))
/** Maximum size of an example file. It allows for the text of the specification, which each page contains. */
const MAX_FILE_BYTES = 400_000

const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  // `example-servers.test.ts` tests the target files of servers.
  .filter((path) => !path.startsWith('servers/') && statSync(FOLDER + path).isFile())
  .toSorted()

/** Target file of the example server. cli/own-models.suite.test.ts runs the suite with it. */
const TARGET_FILE = 'chat-server.json'

describe.each(files.filter((path) => path.endsWith('.json') && path !== TARGET_FILE))('examples/%s', (path) => {
  test('the example document conforms to the current schema', async () => {
    const document = await readDocument(FOLDER + path)
    expect(path).toContain(document.kind === 'load' ? 'load' : 'conformance')
  })

  test('the example document has a page of the same run', async () => {
    const { startedAt } = await readDocument(FOLDER + path)
    expect(readFileSync(FOLDER + path.replace(/\.json$/, '.html'), 'utf8')).toContain(`datetime="${startedAt}"`)
  })
})

test('there is one small example of each kind, and the page that lists them names its command', () => {
  const folders = [...new Set(files.filter((path) => path.includes('/')).map((path) => path.split('/')[0]))].toSorted()
  expect(folders).toEqual(['comparison', 'defective', 'emulator', 'load', 'load-slower', 'matrix'])
  const readme = readFileSync(`${FOLDER}README.md`, 'utf8')
  for (const folder of folders) expect(readme).toMatch(new RegExp(`\`${folder}/\`.*(?:--out examples/${folder}\\b)`))
  expect(files.filter((path) => statSync(FOLDER + path).size > MAX_FILE_BYTES)).toEqual([])
})
