import { expect, test } from 'vitest'
import { languageAcceptedCheck } from './transcriptions.ts'
import {
  createScriptedContext,
  createScriptedResult,
  type RecordExchange,
} from '../../prove/no-evidence-targets/scripted-context.ts'

test('reports the request with a rejected language instead of the control request', async () => {
  const languages = new Map<unknown, unknown>()
  const record: RecordExchange = (_request, exchange, form) => void languages.set(exchange, form?.['language'])
  const context = createScriptedContext(
    (request) => (hasLanguage(request.body) ? { status: 400 } : createScriptedResult(request)),
    record,
  )
  const outcome = await languageAcceptedCheck.run(context)
  expect(outcome).toMatchObject({ verdict: 'fail', code: 'rejected-in-all-forms' })
  expect(languages.get(outcome.exchange)).toBe('en')
})

function hasLanguage(body: Uint8Array | undefined): boolean {
  return Buffer.from(body ?? []).includes('name="language"')
}
