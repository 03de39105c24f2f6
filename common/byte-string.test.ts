import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MULTI_BYTE_CHARACTER, toByteString } from './byte-string.ts'

test('has one character for each byte of the UTF-8 encoding', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const bytes = toByteString(text)
      expect(Buffer.from(bytes, 'latin1')).toEqual(Buffer.from(text))
      expect(MULTI_BYTE_CHARACTER.test(bytes)).toBe(/[^\0-\x7f]/.test(text))
    }),
  )
})
