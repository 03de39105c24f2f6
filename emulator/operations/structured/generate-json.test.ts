import { expect, test, vi } from 'vitest'
import { createSeededRandom } from '../../state/seeded-random.ts'

test('generates values after the time limit has terminated the schema compiler at any point', async () => {
  const random = createSeededRandom(1, 'schema', 0)
  const names = Array.from({ length: 500 }, (_, index) => `field${index}`)
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string', minLength: 1 }]))
  const large = { type: 'object', properties, required: names }
  const small = { type: 'array', items: { type: 'string' }, minItems: 1 }
  for (const maxMs of [1, 8]) {
    vi.resetModules() // Resets the modules, so that each compiler starts without the compiled meta-schema.
    const { generateJson } = await import('./generate-json.ts')
    for (const schema of [small, large]) {
      try {
        generateJson(schema, random, 10, maxMs)
      } catch (error) {
        expect(error).toMatchObject({ message: `takes more than ${maxMs / 1000} s to generate a value` })
      }
    }
    expect(JSON.parse(generateJson(small, random, 10))).toEqual(expect.arrayContaining([expect.any(String)]))
    expect(() => generateJson({ type: 'nonsense' }, random, 10)).toThrow('cannot be compiled: schema is invalid')
  }
})

test('generates numbers for the decimals of Pydantic, whose schema also allows any string', async () => {
  const { generateJson } = await import('./generate-json.ts')
  const decimal = { anyOf: [{ type: 'number', minimum: 1, maximum: 9 }, { type: 'string' }] }
  const optional = { anyOf: [...decimal.anyOf, { type: 'null' }] }
  const named = { anyOf: [{ type: 'number' }, { type: 'string', const: 'free' }] }
  const values = (schema: Readonly<Record<string, unknown>>) =>
    Array.from({ length: 30 }, (_, index) => JSON.parse(generateJson(schema, createSeededRandom(1, 'a', index), 10)))
  expect(new Set(values(decimal).map((value) => typeof value))).toEqual(new Set(['number']))
  expect(new Set(values(optional).map((value) => typeof value))).toEqual(new Set(['number', 'object']))
  expect(values(named)).toContain('free')
})
