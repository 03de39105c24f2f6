import { expect, test } from 'vitest'
import { documentText } from './write-document.ts'

test('a document can be printed: nothing in it steers a terminal, and it is read back as it was', () => {
  const hostile = '\u001b[2J \u009b31m \u202egnp \u2028 \u200b \u{e0041} grüße 漢字 🪨 👍🏽 "\\u0041" </script>'
  const text = documentText({ said: hostile, [hostile]: 1 })
  expect(JSON.parse(text)).toEqual({ said: hostile, [hostile]: 1 })
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  expect(text).toContain('grüße 漢字 🪨 👍🏽')
})
