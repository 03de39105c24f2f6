import { expect, test } from 'vitest'
import { findImageResultDeviation } from './images.ts'
import { createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'

const BASE_URL = 'https://api.example.com'

function findDeviation(url: string) {
  const response = createScriptedExchange({
    status: 200,
    body: JSON.stringify({ created: 1_700_000_000, data: [{ url }] }),
  })
  return findImageResultDeviation(response, { baseUrl: BASE_URL })?.code
}

test('an image URL is under the base URL only without spaces around it and without a user name', () => {
  expect(findDeviation(`${BASE_URL}/v1/images/a.png`)).toBeUndefined()
  expect(findDeviation('HTTPS://API.example.com:443/v1/images/a/b.PNG')).toBeUndefined()
  expect(findDeviation(` ${BASE_URL}/v1/images/a.png`)).toBe('wrong-value')
  expect(findDeviation('https://other@api.example.com/v1/images/a.png')).toBe('wrong-value')
})
