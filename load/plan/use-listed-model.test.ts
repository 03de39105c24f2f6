import { expect, test } from 'vitest'
import { applyDefaults } from '../options/load-options.ts'
import { planSearch } from '../find/plan-search.ts'
import { planLoad } from './plan-load.ts'
import { useListedModel } from './use-listed-model.ts'

const OPTIONS = applyDefaults({ target: 'http://a' })

test('plans a run with the only model that the target lists', async () => {
  const { settings, options } = await useListedModel(await planLoad(OPTIONS), ['tiny', 'tiny'])
  expect(settings.models).toMatchObject({ chat: 'tiny', speech: 'tiny' })
  expect(options.models).toEqual([{ operation: null, model: 'tiny' }])
})

test('plans a search with the only model that the target lists', async () => {
  const plan = await planSearch({ ...OPTIONS, find: ['ttft.p50<=1s'] })
  const { search, settings } = await useListedModel(plan, ['tiny'])
  expect([search?.options.models, settings.models.chat]).toEqual([[{ operation: null, model: 'tiny' }], 'tiny'])
})

test.each([
  ['the target lists several', {}, ['tiny', 'large']],
  ['the target lists none', {}, []],
  ['the user chose a model', { models: [{ operation: null, model: 'own' }] }, ['tiny']],
  ['the run has a spend limit', { maxCredits: '1' }, ['tiny']],
])('keeps the model of a plan if %s', async (_name, changes, listed) => {
  const plan = await planLoad({ ...OPTIONS, ...changes })
  expect(await useListedModel(plan, listed)).toBe(plan)
})
