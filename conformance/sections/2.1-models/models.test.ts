import { expect, test } from 'vitest'
import { MODELS } from '../../../contract/facts.ts'
import { describeOutcome } from '../../findings/sentences.ts'
import { allModelsListedCheck, capabilitiesCheck, modelChecks } from './models.ts'
import { createScriptedContext, type ScriptedResponse } from '../../prove/no-evidence-targets/scripted-context.ts'

const ALL = MODELS.map(({ id }) => id)

function list(ids: readonly string[]): ScriptedResponse {
  return { status: 200, body: JSON.stringify({ object: 'list', data: ids.map((id) => ({ id })) }) }
}

async function outcomeOf(...lists: readonly ScriptedResponse[]) {
  let sent = 0
  const context = createScriptedContext(() => lists[sent++ % lists.length] ?? { status: 500 })
  return allModelsListedCheck.run(context)
}

test('requires all models in every list', async () => {
  expect(await outcomeOf(list(ALL))).toMatchObject({ verdict: 'pass' })
  expect(await outcomeOf(list(ALL.slice(1)))).toMatchObject({
    verdict: 'fail',
    code: 'models-not-listed',
    params: { missing: [ALL[0]] },
  })
  expect((await outcomeOf(list(ALL.slice(1)))).difference).toBeUndefined()
})

test.each([
  ['the first list', [list(ALL.slice(1)), list(ALL), list(ALL)]],
  ['a later list', [list(ALL), list(ALL.slice(1)), list(ALL)]],
])('reports the number of lists that lack a model: %s', async (_name, lists) => {
  const outcome = await outcomeOf(...lists)
  expect(outcome).toMatchObject({ verdict: 'fail', difference: { responses: 1, of: 3 } })
  expect(describeOutcome(outcome).actual).toBe(`in 1 of 3 responses: the list does not contain ${ALL[0]}`)
})

test('does not evaluate lists of models that the target does not serve', async () => {
  expect(await outcomeOf({ status: 500 })).toMatchObject({ verdict: 'not-testable' })
  expect(await outcomeOf(list(ALL), { status: 500 }, list(ALL))).toMatchObject({ verdict: 'not-testable' })
})

test.each([
  ['each model once', ALL, 'pass'],
  ['a model twice', [...ALL, ALL[0] ?? ''], 'warn'],
])('reports models that the list contains more than once: %s', async (_name, ids, verdict) => {
  const idsCheck = modelChecks.find(({ id }) => id === '2.1/ids-differ')
  const outcome = await idsCheck?.run(createScriptedContext(() => list(ids)))
  expect(outcome).toMatchObject(verdict === 'pass' ? { verdict } : { verdict, params: { model: ALL[0] } })
})

test('observes the status of an operation whose requests all get a 5xx, but no missing response', async () => {
  const run = (speech: ScriptedResponse) =>
    capabilitiesCheck.run(createScriptedContext(({ path }) => (path === '/v1/audio/speech' ? speech : { status: 404 })))
  const statuses = [404, 404, 404, 404, 501, 501].map((actualStatus) => ({ actualStatus }))
  expect(await run({ status: 501 })).toMatchObject({ verdict: 'observed', params: { seen: { responses: statuses } } })
  const reset = { status: 0, error: { kind: 'reset', message: 'reset' } } as const
  expect(await run(reset)).toMatchObject({ verdict: 'not-testable' })
})
