import { expect, test } from 'vitest'
import { chargeChecks } from './8-charges.ts'

test('keeps the observation texts that target files of version 0.1 declare', () => {
  expect(chargeChecks.map(({ id, title }) => [id, title])).toEqual([
    ['8/prompt-price', 'what is charged for a chat, by the balance before and after'],
    ['8/refused-charge', 'what is charged for a chat that is refused (400, 404)'],
    ['8/left-charge', 'what is charged for a stream that the client left'],
  ])
})
