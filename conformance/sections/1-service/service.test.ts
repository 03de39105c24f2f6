import { expect, test } from 'vitest'
import { createScriptedContext } from '../../prove/no-evidence-targets/scripted-context.ts'
import { serviceChecks } from './service.ts'

/**
 * Returns the verdict for a target that responds to every image request with this status, in a run whose model
 * discovery found no model for images.
 */
async function verdictOn(status: number): Promise<string> {
  const check = serviceChecks.find(({ id }) => id === '1/images-offered')
  const { models, ...context } = createScriptedContext(() => ({ status }))
  const outcome = await check?.run({ ...context, models: { ...models, images: '' } })
  return outcome?.verdict ?? 'no check'
}

test.each([
  [404, 'fail'],
  [302, 'fail'],
  [403, 'fail'],
  [405, 'fail'],
  [401, 'not-testable'],
  [402, 'not-testable'],
  [429, 'not-testable'],
  [503, 'not-testable'],
])('rates an operation that returns %i for every model as %s', async (status, verdict) => {
  expect(await verdictOn(status)).toBe(verdict)
})
