import { afterAll, beforeAll, expect, test } from 'vitest'
import { runPage } from './run-page.ts'
import { createPageEnvironment, type PageEnvironment } from './page-environment.ts'

let environment: PageEnvironment

beforeAll(async () => {
  environment = await createPageEnvironment({ k6Path: undefined, hasNpm: false })
})
afterAll(() => environment.close())

const FENCE = '```'

function block(language: string, text: string, mark?: string): string {
  const comment = mark === undefined ? '' : `<!-- docs: ${mark} -->\n`
  return `${comment}${FENCE}${language}\n${text}\n${FENCE}\n\n`
}

/** Runs a page. Returns its problems, each as the line number and the first line of the message. */
async function listProblems(...blocks: readonly string[]): Promise<readonly string[]> {
  const problems = await runPage(blocks.join(''), environment, false)
  return problems.map(({ line, message }) => `${line}: ${message.split('\n')[0]}`)
}

test.each([
  ['different output', [block('sh', 'echo one'), block('text', 'two')], '5: did not print "two", but:'],
  ['a different exit code', [block('sh', 'exit 1')], '1: exited with 1 instead of 0:'],
  [
    'a server that exits',
    [block('sh', 'echo bye', 'server a, ready when "ready"')],
    '2: exited without printing "ready":',
  ],
  [
    'an omitted line that does not exist',
    [block('sh', 'true', 'without npm ci: already installed')],
    '2: Error: The block has no line "npm ci" to omit.',
  ],
  [
    'edited lines that the file does not contain',
    [block('js', 'a', 'file a.js'), block('diff', '-b\n+c', 'edit a.js')],
    '7: Error: These lines are not in the file:',
  ],
])('reports %s', async (_, blocks, problem) => {
  expect(await listProblems(...blocks)).toEqual([problem])
})
