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
