import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { listDeclaredDifferences, parseTargetFile } from '../conformance/run-conformance.ts'

const FOLDER = fileURLToPath(new URL('../examples/servers/', import.meta.url))
const GUIDE = readFileSync(new URL('../docs/reference/servers.md', import.meta.url), 'utf8')

const ENVIRONMENT = {
  TOUCHSTONE_KEY: 'sk-svc-a',
  TOUCHSTONE_KEY_NO_CREDITS: 'sk-svc-b',
  TOUCHSTONE_KEY_LIMITED: 'sk-svc-c',
}

const names = readdirSync(FOLDER).toSorted()

describe.each(names)('examples/servers/%s', (name) => {
  const text = readFileSync(FOLDER + name, 'utf8')

  test('is a valid target file, and refers to the schema', () => {
    const { url } = parseTargetFile(text, { name, environment: ENVIRONMENT })
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(JSON.parse(text)).toMatchObject({ $schema: '../../conformance/targets/target.schema.json' })
  })

  test('states the reason of each difference and each known failure', () => {
    const { differences, knownFailures = [] } = parseTargetFile(text, { name, environment: ENVIRONMENT })
    const reasons = [...listDeclaredDifferences(differences), ...knownFailures].map((entry) =>
      'why' in entry ? entry.why : entry.reason,
    )
    // `init` writes how often it found a difference. The owner replaces this by the reason.
    expect(reasons.filter((reason) => reason.startsWith('init found') || reason === '…')).toEqual([])
  })

  test('is named in the guide', () => {
    expect(GUIDE).toContain(`../examples/servers/${name}`)
  })
})

test('the guide names only target files that exist', () => {
  const named = [...GUIDE.matchAll(/\.\.\/examples\/servers\/([\w.-]+\.json)/g)].map(([, name]) => name ?? '')
  expect([...new Set(named)].toSorted()).toEqual(names)
})
