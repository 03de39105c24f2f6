import { expect, test } from 'vitest'
import { parseCustomModels } from '../options/parse-custom-models.ts'
import { createModelCatalog, SPECIFIED_MODELS, type CustomModel } from './model-catalog.ts'

const parse = (value: unknown) => parseCustomModels(value) as readonly CustomModel[]

test('has the models of the specification, with prices in whole units', () => {
  expect([...SPECIFIED_MODELS.values()].map(({ unitsPerToken }) => unitsPerToken)).toEqual([
    4, 20, 20, 60, 20, 40, 100, 8,
  ])
  expect(createModelCatalog([])).toBe(SPECIFIED_MODELS)
})

test('adds custom models after those of the specification', () => {
  const catalog = createModelCatalog(
    parse(['org/my-model:2=0.0015', 'gpt-4o=vendorc-4o', 'ears=2:transcriptions+speech']),
  )
  expect([...catalog.values()].slice(SPECIFIED_MODELS.size)).toMatchObject([
    { id: 'org/my-model:2', unitsPerToken: 15, specified: undefined, operations: undefined },
    { id: 'gpt-4o', unitsPerToken: 100, specified: 'vendorc-4o', operations: undefined },
    { id: 'ears', unitsPerToken: 20_000, specified: undefined, operations: ['transcriptions', 'speech'] },
  ])
})

test('parses the same models from a list of texts, a comma-separated text and objects', () => {
  const models = [
    { id: 'a', price: '0.5' },
    { id: 'b', aliasOf: 'o3-mini', operations: ['chat'] },
  ]
  expect(parse(['a=0.5', 'b=o3-mini:chat'])).toEqual(models)
  expect(parse('a=0.5, b=o3-mini:chat')).toEqual(models)
  expect(parse([{ id: 'a', price: 0.5 }, models[1]])).toEqual(models)
})

test.each([
  ['a', 'A model has the form id=price or id=model'],
  ['a b=1', 'The id of a model must be'],
  ['a=1000.1', "The price of the model 'a' must be credits per token from 0 to 1000"],
  ['a=0.00001', 'with at most four fraction digits'],
  ['a=b', 'must have a price such as 0.002, or be an alias of a model of the specification: vendora-v4-flash,'],
  ['a=1,a=2', "The model 'a' is given twice."],
  ['o3-mini=1', "The specification defines the model 'o3-mini', so it cannot be changed."],
  ['a=1:chat+models', "The operations of the model 'a' must be a list of chat, images, transcriptions, speech."],
  [[{ id: 'a', price: '1', aliasOf: 'o3-mini' }], 'needs either "price" or "aliasOf"'],
  [[{ id: 'a', cost: 1 }], 'A model has no field "cost".'],
  [7, 'A model has the form'],
])('rejects the custom models %j', (value, sentence) => {
  expect(parseCustomModels(value)).toContain(sentence)
})

test('knows the reasoning models of section 2.1 and their aliases', () => {
  const catalog = createModelCatalog(parse(['thinker=vendora-reasoner', 'own=0.001']))
  const reasoning = [...catalog.values()].filter(({ isReasoning }) => isReasoning).map(({ id }) => id)
  expect(reasoning).toEqual(['vendora-v4-pro', 'vendora-reasoner', 'o3-mini', 'thinker'])
})
