import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findSchemaReference } from './write-target-file.ts'

const PROJECT = resolve('/projects/gateway')
const INSTALLED = resolve(PROJECT, 'node_modules/touchstone/dist/conformance/targets/target.schema.json')

test.each([
  ['gateway.json', './node_modules/touchstone/dist/conformance/targets/target.schema.json'],
  ['targets/staging.json', '../node_modules/touchstone/dist/conformance/targets/target.schema.json'],
])('returns the relative path from %s to the schema', (file, reference) => {
  expect(findSchemaReference(file, PROJECT, INSTALLED)).toBe(reference)
})

test('returns undefined for a schema outside the project, because other machines do not have it', () => {
  expect(findSchemaReference('gateway.json', resolve('/projects/other'), INSTALLED)).toBeUndefined()
})

test('finds the schema of this repository', () => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const reference = findSchemaReference('gateway.json', root)
  expect(reference).toBe('./conformance/targets/target.schema.json')
  expect(existsSync(resolve(root, reference ?? ''))).toBe(true)
})
