import { expect, test } from 'vitest'
import { generateInThread } from './generate-in-thread.ts'

const nest = (levels: number): object =>
  levels === 0 ? { type: 'string' } : { type: 'array', minItems: 1000, items: nest(levels - 1) }

const task = (schema: object) => ({ schema: { ...schema }, seed: 1, maxTokens: 100 })

test('rejects a schema that exceeds the time limit, and generates later values', async () => {
  const endless = task({ const: `${'a'.repeat(40)}!`, pattern: '^(a+)+$' })
  const results = [
    generateInThread(endless, 50),
    generateInThread(task({ type: 'integer', minimum: 7, maximum: 7 })),
    generateInThread(endless, 50),
    generateInThread(task({ type: 'boolean' })),
  ]
  const problem = 'takes more than 0.05 s to generate a value'
  expect(await Promise.allSettled(results)).toMatchObject([
    { status: 'rejected', reason: { message: problem } },
    { status: 'fulfilled', value: '7' },
    { status: 'rejected', reason: { message: problem } },
    { status: 'fulfilled', value: expect.stringMatching(/^(?:true|false)$/) },
  ])
})

/** A time limit that only a hang exceeds, because these schemas exceed another limit. */
const UNLIMITED_MS = 120_000
const TOO_LARGE = 'requires more than 500000 values and characters'
const LONG_PATTERN = 'has a pattern that can require more than 10000 characters'

test.each([
  ['nested arrays', nest(2), TOO_LARGE],
  ['many long texts', { type: 'array', minItems: 1000, items: { type: 'string', minLength: 1000 } }, TOO_LARGE],
  ['many long constants', { type: 'array', minItems: 1000, items: { const: ['x'.repeat(1000)] } }, TOO_LARGE],
  ['a pattern with a large quantifier', { type: 'string', pattern: '^a{1000000000}$' }, LONG_PATTERN],
  ['a pattern with nested quantifiers', { type: 'string', pattern: '^((a{99}){99}){99}$' }, LONG_PATTERN],
  [
    'a pattern with nested plus signs',
    { type: 'string', pattern: `${'('.repeat(20)}a${'+)'.repeat(20)}` },
    LONG_PATTERN,
  ],
  ['a pattern of names', { type: 'object', patternProperties: { '^a{1000000000}$': {} } }, LONG_PATTERN],
])('rejects a schema that requires a large value: %s', async (_name, schema, problem) => {
  await expect(generateInThread(task(schema), UNLIMITED_MS)).rejects.toThrow(problem)
})

test.each([
  '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$`,
  '^(?:[A-Z]{2}[0-9]{3}){20}$',
  '^[a-z]{1000}$',
  '^((([a-z]+)+)+)+$',
])('generates a value for the ordinary pattern %s', async (pattern) => {
  const json = await generateInThread({ schema: { type: 'string', pattern }, seed: 1, maxTokens: 1000 })
  expect(JSON.parse(json)).toMatch(new RegExp(pattern))
})
