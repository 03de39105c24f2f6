import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const readFile = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

interface ActionFields {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>
  readonly outputs: Readonly<Record<string, { readonly description: string }>>
}

test('docs/reference/action.md lists every input and output of the action as action.yml declares it', () => {
  const { inputs, outputs } = parse(readFile('action.yml')) as ActionFields
  const rows = [
    ...Object.entries(inputs).map(([name, input]) => {
      const usual = input.default === '' ? '' : `\`${input.default}\``
      return `| \`${name}\` | ${input.description} | ${usual} |`
    }),
    ...Object.entries(outputs).map(([name, { description }]) => `| \`${name}\` | ${description} |`),
  ]
  expect(readFile('docs/reference/action.md').match(/^\| `.*\|$/gm)).toEqual(rows)
})

test('docs/ci.md shows steps of the workflow for pull requests', () => {
  const shown = /```yaml\n(.*?)```/s.exec(readFile('docs/ci.md'))?.[1]
  expect(shown).toBeDefined()
  expect(readFile('examples/github-pull-request.yml')).toContain(shown)
})
