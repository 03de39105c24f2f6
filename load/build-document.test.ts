import { expect, test } from 'vitest'
import { describeSettings } from './build-document.ts'
import { planLoad } from './plan/plan-load.ts'
import { TEST_LOAD_OPTIONS } from './testing/default-options.ts'

test('hides the texts of secret members of the body in the document', async () => {
  const body = { max_tokens: 5, metadata: { api_key: 'any-secret' } }
  const { settings } = await planLoad({ ...TEST_LOAD_OPTIONS, body })
  const described = describeSettings({ ...settings, target: 'http://127.0.0.1:1' })
  expect(described['body']).toBe('{"max_tokens":5,"metadata":{"api_key":"…"}}')
})
