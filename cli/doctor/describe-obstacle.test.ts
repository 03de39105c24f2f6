import { expect, test } from 'vitest'
import { describeObstacle } from './describe-obstacle.ts'

test('describes the form in which a target accepts a key that it otherwise rejects', () => {
  const { message } = describeObstacle(
    { code: 'funded-key-rejected', params: { acceptedForm: 'no-scheme', actualStatus: 401 } },
    'key',
  )
  expect(message).toMatch(/but it accepts the key without the word Bearer$/)
})

test('names permissions and headers of a gateway if the target rejects the key with 403', () => {
  expect(describeObstacle({ code: 'funded-key-rejected', params: { actualStatus: 403 } }, 'key')).toEqual({
    message: 'the target rejected the key with 403 for models and chat',
    remedy:
      'set --key or TOUCHSTONE_KEY to a valid key, check its permissions, and whether a gateway needs a header (--header)',
  })
})
