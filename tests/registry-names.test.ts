import { expect, test } from 'vitest'
import { readRepositoryFiles } from './repository-files.ts'

/**
 * Matches a command that would download a package with a name of ours from a public registry if it is not installed.
 * Nobody has registered these names, so such a package could contain any code.
 */
const DOWNLOAD = new RegExp(
  [
    String.raw`\b(?:npx|bunx|npm (?:exec|x)|(?:pnpm|yarn) dlx)(?: +(?!--no\b)-[\w-]+(?:=\S+)?)* +(?:-- +)?@?touchstone\b`,
    String.raw`\b(?:npm|pnpm|yarn|bun|pip|pipx|uv|uvx)(?: (?:install|i|add|tool|pip|run))+(?: +-[\w-]+)* +(?:[\w@][\w@/.-]* +)*@?touchstone\b(?![-\w]*\.(?:tgz|tar\.gz))`,
  ].join('|'),
  'g',
)

test.each([
  'npx touchstone doctor',
  'npx -y touchstone@1.0.0 load',
  'npm exec -- touchstone doctor',
  'pnpm dlx touchstone',
  'bunx touchstone',
  'npm i -D vitest touchstone',
  'npm install --save-dev @touchstone/k6-linux-x64',
  'pip install touchstone',
])('finds the command %s', (command) => {
  expect(`Run \`${command}\`.`.match(DOWNLOAD)).toHaveLength(1)
})

test.each([
  'npx --no touchstone doctor',
  'npm exec --no -- touchstone',
  'npm install --save-dev ./touchstone-0.2.0.tgz vitest openai',
  'npx node cli/bin.js',
  'npx vitest run touchstone.test.ts',
  'node_modules/.bin/touchstone load',
])('accepts the command %s', (command) => {
  expect(command.match(DOWNLOAD)).toBeNull()
})

test('no documentation, message or helper downloads a package with the name touchstone', () => {
  const files = readRepositoryFiles().filter(({ path }) => path !== 'tests/registry-names.test.ts')
  expect(files.flatMap(({ path, text }) => (text.match(DOWNLOAD) ?? []).map((found) => `${path}: ${found}`))).toEqual(
    [],
  )
})
