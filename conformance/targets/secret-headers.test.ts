import { describe, expect, test } from 'vitest'
import { SecretMask } from '../evidence/secrets.ts'
import { listSecretValues } from '../engine/session.ts'
import { parseTargetFile } from './parse-target-file.ts'
import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import { isSecretName } from '../../common/secrets/secret-values.ts'
import { resolveTarget, type TargetOptions } from './resolve-target.ts'

const TARGET = { url: 'http://127.0.0.1:1', keys: {}, embedded: false }

function maskOf(options: TargetOptions): SecretMask {
  return new SecretMask(listSecretValues(resolveTarget({ ...TARGET, ...options })))
}

describe('the name of a header', () => {
  test.each([
    'Proxy-Authorization',
    'X-Api-Key',
    'apikey',
    'Cookie',
    'x-gateway-token',
    'X-Client-Secret',
    'x-auth',
    'x-password',
    'cf-access-jwt-assertion',
    'x-portkey-api-key',
    'x-portkey-virtual-key',
    'x-access-keys',
  ])('recognizes a secret header by its name: %s', (name) => {
    expect(isSecretName(name)).toBe(true)
  })

  test.each([
    'x-tenant',
    'x-author',
    'x-forwarded-proto',
    'traceparent',
    'x-upstream-url',
    'x-portkey-provider',
    'x-portkey-custom-host',
    'x-monkey',
  ])('does not treat a header as secret: %s', (name) => {
    expect(isSecretName(name)).toBe(false)
  })
})

describe('reports', () => {
  const text = '{"url":"https://images.example.com/v1/images/a.png"}'

  test('reports show the value of a header whose name does not identify a secret', () => {
    const mask = maskOf({ headers: ['x-upstream-url: https://images.example.com', 'x-tenant: images'] })
    expect(mask.mask(text)).toBe(text)
  })

  test('reports mask the value of a header whose name identifies a secret', () => {
    expect(maskOf({ headers: ['X-Gateway-Token: images.example.com'] }).mask(text)).not.toContain('images.example.com')
  })

  test('reports mask a value that a target file reads from the environment, regardless of the header name', () => {
    const file = JSON.stringify({ headers: { 'X-Tenant': { env: 'TENANT' }, 'x-region': 'https://' } })
    const options = parseTargetFile(file, { name: 'gateway.json', environment: { TENANT: 'images.example.com' } })
    expect(maskOf(options).mask(text)).toBe(
      `{"url":"https://${fingerprintSecret('images.example.com')}/v1/images/a.png"}`,
    )
  })
})
