import { expect, test } from 'vitest'
import { findModelDeviation, type KnownModels } from './completion.ts'

const DATED = 'a-2024-08-06'

test.each<[string, unknown, KnownModels, object | undefined]>([
  ['accepts the requested model', 'a', { listed: ['a'] }, undefined],
  ['accepts the declared alias of the requested model', DATED, { aliases: { a: DATED }, listed: ['a'] }, undefined],
  ['rejects the alias of another model', DATED, { aliases: { b: DATED }, listed: [] }, { path: 'model' }],
  ['says that the target lists the other model', DATED, { listed: ['a', DATED] }, { isListed: true }],
  ['says that the target does not list the other model', DATED, { listed: ['a'] }, { isListed: false }],
  ['rejects a model that is not a string', 5, { listed: ['a'] }, { actualType: 'number' }],
])('%s', (_name, model, known, params) => {
  const deviation = findModelDeviation({ model }, 'a', known)
  if (params === undefined) expect(deviation).toBeUndefined()
  else expect(deviation?.params).toMatchObject(params)
})
