import { expect, test } from 'vitest'
import { describeObstacle } from './describe-obstacle.ts'

test('describes the form in which a target accepts a key that it otherwise rejects', () => {
  const { message } = describeObstacle(
    { code: 'funded-key-rejected', params: { acceptedForm: 'no-scheme', actualStatus: 401 } },
    'key',
  )
  expect(message).toMatch(/but it accepts the key without the word Bearer$/)
})
