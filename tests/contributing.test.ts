import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const ROOT = new URL('../', import.meta.url)

interface Excerpt {
  readonly file: string
  readonly code: string
}

/** The examples of a page, each under a line that names the file it is from. */
function excerptsOf(page: string): readonly Excerpt[] {
  const found = page.matchAll(/^From `([^`]+)`:\n\n```ts\n(.*?)\n```$/gms)
  return [...found].map(([, file = '', code = '']) => ({ file, code }))
}

/** Without its place in the file around it. */
function withoutIndent(text: string): string {
  return text.replaceAll(/^ +/gm, '')
}

test('the examples for contributors stand in the files that they name', async () => {
  const page = await readFile(new URL('CONTRIBUTING.md', ROOT), 'utf8')
  const excerpts = excerptsOf(page)
  expect(excerpts).toHaveLength(page.match(/^```ts$/gm)?.length ?? 0)
  expect(excerpts.length).toBeGreaterThan(0)
  for (const { file, code } of excerpts) {
    const source = await readFile(new URL(file, ROOT), 'utf8')
    expect(withoutIndent(source)).toContain(withoutIndent(code))
  }
})
