import { expect, test } from 'vitest'
import { buildCatalog, SPECIFIED_MODELS } from '../../engine/model-catalog.ts'
import { keyPrefixCheck } from './authentication.ts'
import { createScriptedContext, createScriptedResult } from '../../prove/no-evidence-targets/scripted-context.ts'

const OWN_MODELS = buildCatalog([{ id: 'own-model' }])

test.each([
  ['fails a key without the prefix', SPECIFIED_MODELS, 'other-key', 'fail'],
  ['accepts a key with the prefix', SPECIFIED_MODELS, 'sk-svc-key', 'pass'],
  ['observes a key without the prefix if the owner declares other models', OWN_MODELS, 'other-key', 'observed'],
  ['accepts a key with the prefix if the owner declares other models', OWN_MODELS, 'sk-svc-key', 'pass'],
])('%s', async (_title, catalog, funded, verdict) => {
  const context = createScriptedContext(createScriptedResult)
  const outcome = await keyPrefixCheck.run({ ...context, catalog, keys: { ...context.keys, funded } })
  expect(outcome.verdict).toBe(verdict)
})
