import { expect, test } from 'vitest'
import { createParameterError } from '../core/api-errors.ts'
import { createSeededRandom } from '../state/seeded-random.ts'
import { generateMessages } from './multiple-choices.ts'

test('generates no further choices after the first error', async () => {
  let calls = 0
  const fail = () => {
    calls += 1
    return createParameterError('response_format', 'no value conforms to the schema')
  }
  expect(await generateMessages(fail, createSeededRandom(1, 'a', 0), 3)).toHaveLength(1)
  expect(calls).toBe(1)
})
