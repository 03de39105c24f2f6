import { describe, expect, test } from 'vitest'
import { buildCatalog, SPECIFIED_MODELS, addListedModels } from './model-catalog.ts'

const TABLE = SPECIFIED_MODELS.models.map(({ id }) => id)

describe('the models of a target', () => {
  test('are those of the specification, by price, without a declaration', () => {
    expect(buildCatalog(undefined)).toBe(SPECIFIED_MODELS)
    expect(TABLE[0]).toBe('vendora-v4-flash')
    expect(TABLE.at(-1)).toBe('vendorc-4o')
  })

  test('are those that the owner declares, by price, and in their order where no price is known', () => {
    const catalog = buildCatalog([
      { id: 'b' },
      { id: 'a' },
      { id: 'dear', price: 0.5 },
      { id: 'cheap', price: 0.00001 },
    ])
    expect(catalog.models.map(({ id }) => id)).toEqual(['cheap', 'dear', 'b', 'a'])
    expect([catalog.unitsPerToken('dear'), catalog.unitsPerToken('b')]).toEqual([5000, undefined])
    expect(catalog.origin).toBe('declared')
  })

  test('keep the price of the table where the owner declares none', () => {
    expect(buildCatalog([{ id: 'vendorc-4o' }]).unitsPerToken('vendorc-4o')).toBe(100)
  })

  test.each([
    ['nothing', [], 'specification'],
    ['the eight and others', [...TABLE, 'mine'], 'specification'],
    ['some of the eight', TABLE.slice(0, 3), 'specification'],
    ['one of the eight alone', TABLE.slice(0, 1), 'specification'],
    ['others', ['mine', 'yours'], 'listed'],
    ['others, and one of the eight', ['mine', 'o3-mini'], 'listed'],
  ])('for a target that lists %s', (_name, ids, origin) => {
    expect(addListedModels(SPECIFIED_MODELS, ids).origin).toBe(origin)
  })

  test('are not replaced by a list if the owner declares them', () => {
    const catalog = buildCatalog([{ id: 'mine' }])
    expect(addListedModels(catalog, ['yours'])).toBe(catalog)
  })
})

describe('a chat', () => {
  test('is due for each model of the specification, and for each declared model unless it is declared for others', () => {
    const catalog = buildCatalog([{ id: 'a' }, { id: 'b', operations: ['speech'] }, { id: 'c', operations: ['chat'] }])
    expect(catalog.chatModels()).toEqual(['a', 'c'])
    expect(SPECIFIED_MODELS.chatModels()).toEqual(TABLE)
  })

  test('is due for no model that is only listed', () => {
    expect(addListedModels(SPECIFIED_MODELS, ['a']).requiresChat('a')).toBe(false)
  })
})

describe('the models to try for an operation', () => {
  const listed = addListedModels(SPECIFIED_MODELS, ['text-embedding-3', 'whisper-1', 'tts-1', 'gpt-x', 'dall-e-3'])

  test.each([
    ['chat', 'gpt-x'],
    ['images', 'dall-e-3'],
    ['transcriptions', 'whisper-1'],
    ['speech', 'tts-1'],
  ] as const)('of a list start with the likeliest by name: %s', (operation, first) => {
    expect(listed.candidates(operation)[0]).toBe(first)
    expect(listed.candidates(operation)).toHaveLength(5)
  })

  test('are at most eight, however long the list', () => {
    const many = Array.from({ length: 300 }, (_, at) => `m${at}`)
    expect(addListedModels(SPECIFIED_MODELS, many).candidates('chat')).toEqual(many.slice(0, 8))
  })

  test('are those declared for it, or not declared for anything; all if there is none', () => {
    const catalog = buildCatalog([{ id: 'a', operations: ['chat'] }, { id: 'b' }])
    expect(catalog.candidates('images')).toEqual(['b'])
    expect(buildCatalog([{ id: 'a', operations: ['chat'] }]).candidates('images')).toEqual(['a'])
    expect([catalog.declaredFor('chat'), catalog.declaredFor('images')]).toEqual(['a', undefined])
  })
})
