import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MIN_NODE_VERSION, requireNodeVersion } from './node-version.ts'

test.each(['20.20.2', '22.21.9', '9.30.0'])('rejects Node.js %s', (version) => {
  expect(() => requireNodeVersion(version)).toThrow(
    `touchstone needs Node.js ${MIN_NODE_VERSION} or later, and this is ${version}.`,
  )
})

test.each(['22.22.0', '22.100.0', '24.0.0', process.versions.node])('accepts Node.js %s', (version) => {
  expect(() => requireNodeVersion(version)).not.toThrow()
})

test('requires the same version as package.json', () => {
  const packageJson: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(packageJson).toMatchObject({ engines: { node: `>=${MIN_NODE_VERSION}` } })
})
