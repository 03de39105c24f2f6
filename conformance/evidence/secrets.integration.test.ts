import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import { SecretMask } from './secrets.ts'

const KEY = 'sk-svc-0123456789abcdefWXYZ'
const BODY = '0123456789abcdefWXYZ'
const mask = new SecretMask([{ value: KEY, variable: 'TOUCHSTONE_KEY' }, { value: 'gateway-password-9876' }])

test('keeps words of the specification, unless they are part of a longer run of the key', () => {
  const named = new SecretMask([{ value: 'sk-svc-chat-completion-a1', variable: 'KEY' }])
  expect(named.mask('"object":"chat.completion"')).toBe('"object":"chat.completion"')
  expect(named.mask('authorization: Bearer chat-completion-a')).not.toContain('completion')
})

describe('quotes text so that a shell restores it', () => {
  function shell(word: string): string {
    return execFileSync('sh', ['-c', `printf %s ${word}`], { env: { ...process.env, TOUCHSTONE_KEY: KEY } }).toString()
  }

  test.each([
    ['plain text', 'hello'],
    ['quotes, dollars and backticks', `it's "$HOME" \`ls\` \\ $(ls) !x`],
    ['line breaks', 'a\nb\n'],
    ['invisible characters', '\ufeff{"a": "\u202eb\r\u2028"}\t\u0007'],
    ['an empty text', ''],
    ['a key', `Bearer ${KEY}`],
    ['a key between quotes', `'${KEY}'`],
    ['a key without its prefix', `Bearer ${BODY}.`],
    ['a short key without its prefix', 'Bearer short.'],
    ['a key in another letter case', 'Bearer sk-svc-0123456789ABCDEFwxyz.'],
    ['a key without its last character', `Bearer ${KEY.slice(0, -1)}`],
  ])('quotes text for a shell: %s', (_name, text) => {
    const word = mask.quote(text)
    expect(word).not.toContain(BODY)
    expect(shell(word)).toBe(text)
  })

  test('masks other secrets', () => {
    expect(mask.quote('x-gateway: gateway-password-9876')).toBe(
      `'x-gateway: ${fingerprintSecret('gateway-password-9876')}'`,
    )
  })
})
