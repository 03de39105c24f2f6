import { expect, test } from 'vitest'
import { chargeChecks } from './8-charges.ts'

test('names what is tried as in version 0.1, whose target files declare these texts', () => {
  expect(chargeChecks.map(({ id, title }) => [id, title])).toEqual([
    ['8/prompt-price', 'what is charged for a chat, by the balance before and after'],
    ['8/refused-charge', 'what is charged for a chat that is refused (400, 404)'],
    ['8/left-charge', 'what is charged for a stream that the client left'],
  ])
})
