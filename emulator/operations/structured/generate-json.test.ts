import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { generateJson } from './generate-json.ts'

test('generates numbers for the decimals of Pydantic, whose schema also allows any string', () => {
  const decimal = { anyOf: [{ type: 'number', minimum: 1, maximum: 9 }, { type: 'string' }] }
  const optional = { anyOf: [...decimal.anyOf, { type: 'null' }] }
  const named = { anyOf: [{ type: 'number' }, { type: 'string', const: 'free' }] }
  const values = (schema: Readonly<Record<string, unknown>>) =>
    Array.from({ length: 30 }, (_, index) => JSON.parse(generateJson({ schema, seed: index * 100, maxTokens: 10 })))
  expect(new Set(values(decimal).map((value) => typeof value))).toEqual(new Set(['number']))
  expect(new Set(values(optional).map((value) => typeof value))).toEqual(new Set(['number', 'object']))
  expect(values(named)).toContain('free')
})

test('generates values for patterns with Unicode properties, and for patterns that are only valid without flag u', () => {
  const patterns = {
    name: String.raw`^\p{Lu}[\p{Ll}\p{M}'-]{2,8} \p{Lu}\p{L}+$`,
    emoji: String.raw`^(\p{Extended_Pictographic}|\p{Emoji_Component})+$`,
    email: String.raw`^[\w-\.]+@([\w-]+\.)+[a-z]{2,4}$`,
  }
  const properties = Object.fromEntries(
    Object.entries(patterns).map(([name, pattern]) => [name, { type: 'string', pattern }]),
  )
  const schema = { type: 'object', properties, required: Object.keys(patterns) }
  for (let index = 0; index < 20; index += 1) {
    const { name, emoji, email } = JSON.parse(generateJson({ schema, seed: index * 100, maxTokens: 100 }))
    expect(name).toMatch(new RegExp(patterns.name, 'u'))
    expect(emoji).toMatch(new RegExp(patterns.emoji, 'u'))
    expect(email).toMatch(new RegExp(patterns.email))
  }
  const invalid = { type: 'string', pattern: '(' }
  expect(() => generateJson({ schema: invalid, seed: 1, maxTokens: 100 })).toThrow('cannot be compiled')
})

test('accepts the boolean bounds and the id of draft 4 and OpenAPI 3.0', () => {
  const schema = {
    id: 'https://example.com/order.json',
    type: 'object',
    properties: {
      id: { type: 'integer', minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: true },
      count: { type: 'integer', minimum: 4, exclusiveMinimum: false, maximum: 4 },
    },
    required: ['id', 'count'],
  }
  expect(JSON.parse(generateJson({ schema, seed: 1, maxTokens: 100 }))).toEqual({ id: 2, count: 4 })
})

test('generates values for many nested definitions', () => {
  const names = Array.from({ length: 25 }, (_, index) => `Level${index}`)
  const $defs = Object.fromEntries(
    names.map((name, index) => {
      const properties = { inner: index === 0 ? { type: 'integer' } : { $ref: `#/$defs/Level${index - 1}` } }
      return [name, { type: 'object', properties, required: ['inner'] }]
    }),
  )
  const json = generateJson({ schema: { $ref: '#/$defs/Level24', $defs }, seed: 1, maxTokens: 100 })
  expect(json.match(/inner/g)).toHaveLength(25)
})

test('releases the values of a schema after a hundred other schemas, and those of a large schema immediately', async () => {
  const generateFrom = (...values: string[]) => {
    generateJson({ schema: { enum: values }, seed: 1, maxTokens: 100 })
    return new WeakRef(values)
  }
  const [small, large] = [generateFrom('first'), generateFrom('x'.repeat(20_000))]
  for (let index = 0; index < 100; index += 1) generateFrom(`other ${index}`)
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc') // The V8 flag adds `gc` only to new contexts.
  await new Promise((resolve) => setImmediate(resolve)) // A reference lives until the end of the current turn.
  collect()
  expect([small.deref(), large.deref()]).toEqual([undefined, undefined])
})
