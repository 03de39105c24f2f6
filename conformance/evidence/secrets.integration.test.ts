import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { maskKey, SecretMask } from './secrets.ts'

const KEY = 'sk-svc-0123456789abcdefWXYZ'
const BODY = '0123456789abcdefWXYZ'
const mask = new SecretMask([{ value: KEY, variable: 'TOUCHSTONE_KEY' }, { value: 'gateway-password-9876' }])

describe('masks a key in every spelling', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  test.each([
    ['as a Bearer token', `Bearer ${KEY}`],
    ['two times', `${KEY} and ${KEY}`],
    ['without its prefix', `Bearer ${BODY}`],
    ['in JSON', JSON.stringify({ message: `the key "${KEY}" is bad` })],
    ['in a URL', `/x?key=${encodeURIComponent(KEY)}`],
    ['as a user name in Basic', `Basic ${base64(`${KEY}:`)}`],
    ['as a password in Basic', `Basic ${base64(`user:${KEY}`)}`],
    ['as a password with another Base64 offset', `Basic ${base64(`users:${KEY}`)}`],
    ['in Basic without its prefix', `Basic ${base64(`a:${BODY}`)}`],
    ['in a gateway header', 'x-gateway: gateway-password-9876'],
  ])('masks a key %s', (_name, text) => {
    const masked = mask.mask(text)
    expect(masked).toContain('…')
    for (const secret of [KEY, BODY, 'gateway-password']) {
      expect(masked).not.toContain(secret)
      for (const token of masked.split(/[^A-Za-z0-9+/=]+/)) {
        expect(Buffer.from(token, 'base64').toString('latin1')).not.toContain(secret.slice(0, 12))
      }
    }
  })

  test.each([
    ['truncated by two characters', `id is "Bearer ${KEY.slice(0, -2)}…`, 'id is "Bearer …'],
    ['truncated by half', `id is "${KEY.slice(0, 15)}… and "${KEY.slice(0, 12)}…"`, 'id is "… and "…"'],
    ['truncated by half, without the prefix', `/${BODY.slice(0, 8)}…`, '/…'],
    ['truncated to too few characters to identify', 'sk-…', 'sk-…'],
    ['a text from the middle of the key', `${BODY.slice(1, 8)}…`, `${BODY.slice(1, 8)}…`],
  ])('masks a key that is cut off by a truncation mark: %s', (_name, text, shown) => {
    expect(mask.mask(text)).toBe(shown)
  })

  test.each([
    ['its letter case', 'sk-svc-0123456789ABCDEFwxyz', '…WXYZ'],
    ['the letter case of its body', '0123456789ABCDEFwxyz', '…WXYZ'],
    ['its last character', KEY.slice(0, -1), '…WXYZ'],
    ['its prefix and last character', BODY.slice(0, -1), '…WXYZ'],
  ])('masks a key that is complete except for %s', (_name, text, shown) => {
    expect(mask.mask(`Bearer ${text}`)).toBe(`Bearer ${shown}`)
  })

  test('keeps a word that is a short key in the other letter case', () => {
    const short = new SecretMask([{ value: 'sk-svc-get' }, { value: 'sk-svc-a' }])
    expect(short.mask('GET with sk-svc-get, without TOUCHSTONE_TARGET')).toBe('GET with …, without TOUCHSTONE_TARGET')
  })

  test('shows only the last four characters of a key', () => {
    expect(mask.mask(`Bearer ${KEY}`)).toBe('Bearer …WXYZ')
  })

  test('masks a word after the prefix only as a token, so that sentences remain readable', () => {
    const named = new SecretMask([{ value: 'sk-svc-gateway', variable: 'KEY' }])
    expect(named.mask('a gateway limits the key sk-svc-gateway')).toBe('a gateway limits the key …eway')
    expect(named.mask('authorization: Bearer gateway')).toBe('authorization: Bearer …eway')
    expect(named.quote('authorization: Bearer gateway')).toBe(`'authorization: '"Bearer \${KEY#sk-svc-}"`)
  })

  test('hides a short key completely', () => {
    expect(maskKey('sk-svc-1234')).toBe('…')
    expect(new SecretMask([{ value: 'sk-svc-1' }]).mask('Bearer sk-svc-1')).toBe('Bearer …')
  })
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
    ['a key in another letter case', 'Bearer sk-svc-0123456789ABCDEFwxyz.'],
    ['a key without its last character', `Bearer ${KEY.slice(0, -1)}`],
  ])('quotes text for a shell: %s', (_name, text) => {
    const word = mask.quote(text)
    expect(word).not.toContain(BODY)
    expect(shell(word)).toBe(text)
  })
})
