import { expect, test } from 'vitest'
import { suggestSelector } from './plan.ts'

const IDS = ['4.2/temperature-above', '4.2/max-tokens-zero', '5/no-header']

test.each([
  ['4.2/temprature-above', '4.2/temperature-above'],
  ['4.2/temperature', '4.2/temperature-above'],
  ['no-header', '5/no-header'],
  ['authentification', 'authentication'],
  ['image', 'images'],
  ['chatstream', 'chat'],
  ['chat-stream', 'chat'],
  ['zzz', undefined],
])('suggests an ID or a section for %j', (selector, suggestion) => {
  expect(suggestSelector(selector, IDS)).toBe(suggestion)
})
