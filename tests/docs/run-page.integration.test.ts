import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAssignments, replaceInstalledCommand, replaceNpmRun } from './commands.ts'
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

test('reports no problem on a correct page', async () => {
  const problems = await listProblems(
    block(
      'js',
      "setInterval(() => {}, 9999); console.log('ready at 1'); console.log(process.env.WORD)",
      'file serve.mjs',
    ),
    block('sh', 'export WORD=one'),
    block('sh', 'node serve.mjs', 'server a, ready when "ready"'),
    block(
      'diff',
      "-setInterval(() => {}, 9999); console.log('ready at 1'); console.log(process.env.WORD)\n+console.log(2, process.env.WORD)",
      'edit serve.mjs',
    ),
    block('sh', 'node serve.mjs; cat serve.mjs | wc -l'),
    block('text', '7 one\n9'),
    block('sh', 'exit 3', 'ends with 3'),
    block('sh', 'exit 3', 'not run: the command fails'),
    block('sh', 'exit 3', 'needs k6'),
    block('sh', 'echo a\nexit 3', 'without exit 3: the shell would exit'),
    block('text', 'a'),
    block('text', 'not compared', 'drawing'),
    block('sh', 'curl -sf -o models.json https://api.example.com/v1/models -H "Authorization: Bearer $KEY"'),
  )
  expect(problems).toEqual([])
})

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

test('replaces each command of the package with that of this repository', () => {
  const commands =
    'npx --no touchstone init --file touchstone.json\ntouchstone load | touchstone report && ls touchstone x'
  expect(replaceInstalledCommand(commands)).toBe(
    'node cli/bin.js init --file touchstone.json\nnode cli/bin.js load | node cli/bin.js report && ls touchstone x',
  )
  expect(replaceNpmRun('npm run --silent report -- a.json && npm run load')).toBe(
    'node cli/bin.js report a.json && node cli/bin.js load',
  )
})

test('keeps a variable for later blocks if a line of its own assigns a constant', () => {
  expect(findAssignments('A=1\nexport B="$KEY" C=\'x y\'\nD=$(date)\nE=1 node x\n')).toBe(
    'A=1\nexport B="$KEY" C=\'x y\'\n',
  )
})
