import { describe, expect, test } from 'vitest'
import { buildCatalog, countAdditionalModels, SPECIFIED_MODELS, selectCatalog } from './model-catalog.ts'

const TABLE = SPECIFIED_MODELS.models.map(({ id }) => id)

describe('the models of a target', () => {
  test('without a declaration, the catalog contains the models of the specification by price', () => {
    expect(buildCatalog(undefined)).toBe(SPECIFIED_MODELS)
    expect(TABLE[0]).toBe('vendora-v4-flash')
    expect(TABLE.at(-1)).toBe('vendorc-4o')
  })

  test('contains the declared models by price, and in their order if prices are unknown', () => {
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

  test('uses the price of the table if the owner declares none', () => {
    expect(buildCatalog([{ id: 'vendorc-4o' }]).unitsPerToken('vendorc-4o')).toBe(100)
  })

  test.each([
    ['nothing', [], 'specification'],
    ['the eight and others', [...TABLE, 'mine'], 'specification'],
    ['some of the eight', TABLE.slice(0, 3), 'specification'],
    ['one of the eight alone', TABLE.slice(0, 1), 'specification'],
    ['others', ['mine', 'yours'], 'listed'],
    ['others, and one of the eight', ['mine', 'o3-mini'], 'listed'],
  ])('selects the models of a target that lists %s', (_name, ids, origin) => {
    expect(selectCatalog(SPECIFIED_MODELS, ids).origin).toBe(origin)
  })

  test('counts listed models outside the specification only if the run tests the specified models', () => {
    expect(countAdditionalModels(SPECIFIED_MODELS, TABLE)).toBe(0)
    expect(countAdditionalModels(SPECIFIED_MODELS, [...TABLE.slice(0, 2), 'mine', 'yours', 'mine'])).toBe(2)
    expect(countAdditionalModels(selectCatalog(SPECIFIED_MODELS, ['mine', 'yours']), ['mine', 'yours'])).toBe(0)
    expect(countAdditionalModels(buildCatalog([{ id: 'mine' }]), ['mine', 'yours'])).toBe(0)
  })

  test('a list of the target does not replace declared models', () => {
    const catalog = buildCatalog([{ id: 'mine' }])
    expect(selectCatalog(catalog, ['yours'])).toBe(catalog)
  })
})

describe('a chat', () => {
  test('requires chat from each specified model, and from each declared model unless it is declared for other operations', () => {
    const catalog = buildCatalog([{ id: 'a' }, { id: 'b', operations: ['speech'] }, { id: 'c', operations: ['chat'] }])
    expect(catalog.chatModels()).toEqual(['a', 'c'])
    expect(SPECIFIED_MODELS.chatModels()).toEqual(TABLE)
  })

  test('does not require chat from models that the target only lists', () => {
    expect(selectCatalog(SPECIFIED_MODELS, ['a']).requiresChat('a')).toBe(false)
  })
})

describe('the models to try for an operation', () => {
  const listed = selectCatalog(SPECIFIED_MODELS, ['text-embedding-3', 'whisper-1', 'tts-1', 'gpt-x', 'dall-e-3'])

  test.each([
    ['chat', 'gpt-x'],
    ['images', 'dall-e-3'],
    ['transcriptions', 'whisper-1'],
    ['speech', 'tts-1'],
  ] as const)('tries the listed models with the most likely names first: %s', (operation, first) => {
    expect(listed.candidates(operation)[0]).toBe(first)
    expect(listed.candidates(operation)).toHaveLength(5)
  })

  test('tries at most eight models of a list of any length', () => {
    const many = Array.from({ length: 300 }, (_, at) => `m${at}`)
    expect(selectCatalog(SPECIFIED_MODELS, many).candidates('chat')).toEqual(many.slice(0, 8))
  })

  test('tries models declared for the operation or for no operation, or else all models', () => {
    const catalog = buildCatalog([{ id: 'a', operations: ['chat'] }, { id: 'b' }])
    expect(catalog.candidates('images')).toEqual(['b'])
    expect(buildCatalog([{ id: 'a', operations: ['chat'] }]).candidates('images')).toEqual(['a'])
    expect([catalog.declaredFor('chat'), catalog.declaredFor('images')]).toEqual(['a', undefined])
  })
})
