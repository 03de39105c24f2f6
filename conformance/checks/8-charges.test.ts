import { expect, test } from 'vitest'
import { chargeChecks } from './8-charges.ts'

test('keeps the observation texts that target files of version 0.1 declare', () => {
  const observations = chargeChecks.filter(({ requirement }) => requirement === '8/deduction')
  expect(observations.map(({ id, title }) => [id, title])).toEqual([
    ['8/prompt-price', 'the charge for a chat, by the balance before and after'],
    ['8/refused-charge', 'the charge for a rejected chat (400, 404)'],
    ['8/left-charge', 'the charge for a stream that the client aborted'],
  ])
})
