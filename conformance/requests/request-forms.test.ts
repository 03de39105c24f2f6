import { expect, test } from 'vitest'
import { applyForm } from './request-forms.ts'

const WITHOUT_MAX_TOKENS = { fields: { max_tokens: undefined, temperature: 1 } }

test('leaves out a parameter that the target rejects, even if the check sets it', () => {
  expect(applyForm(WITHOUT_MAX_TOKENS, { max_tokens: 256, stream: true }, undefined)).toEqual({
    form: WITHOUT_MAX_TOKENS,
    fields: { stream: true },
  })
})

test('sends a rejected parameter in the requests of a check that tests it', () => {
  expect(applyForm(WITHOUT_MAX_TOKENS, { max_tokens: 256 }, 'max_tokens')).toEqual({
    form: { fields: { temperature: 1 } },
    fields: { max_tokens: 256 },
  })
})
