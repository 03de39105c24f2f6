import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { TIERS } from './tiers.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
// The cast is safe: npm requires this format of package.json.
const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> }

test('each tier has an npm script', () => {
  for (const { name } of TIERS) expect(scripts[`test:${name}`]).toBe(`vitest run --project ${name}`)
})

test('npm test runs the everyday tiers, and test:all runs all tiers except the nightly ones', () => {
  const run = (tiers: typeof TIERS) =>
    `npm run check && vitest run ${tiers.map(({ name }) => `--project ${name}`).join(' ')}`
  expect(scripts['test']).toBe(run(TIERS.filter(({ isEveryday }) => isEveryday)))
  expect(scripts['test:all']).toBe(run(TIERS.filter(({ isNightly }) => !isNightly)))
})

test('CONTRIBUTING.md lists the tiers in their order', () => {
  const rows = TIERS.map(({ name, covers, needs }) => `| \`npm run test:${name}\` | ${covers} | ${needs} |\n`)
  expect(read('CONTRIBUTING.md')).toContain(rows.join(''))
})
