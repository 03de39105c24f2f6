import { expect, test } from 'vitest'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import { findProxy } from './find-proxy.ts'

const BOTH = { HTTP_PROXY: 'http://plain:3128', HTTPS_PROXY: 'http://secure:3128' }

test.each<[string, Record<string, string>, string | undefined]>([
  ['http://api.example.com', BOTH, 'http://plain:3128/'],
  ['https://api.example.com', BOTH, 'http://secure:3128/'],
  ['https://api.example.com', { HTTP_PROXY: 'http://plain:3128' }, undefined],
  ['http://api.example.com', { http_proxy: 'plain:3128' }, 'http://plain:3128/'],
  ['http://api.example.com', { http_proxy: 'http://lower', HTTP_PROXY: 'http://upper' }, 'http://upper/'],
  ['http://api.example.com', { HTTP_PROXY: '', http_proxy: '' }, undefined],
  ['https://api.example.com', { HTTPS_PROXY: 'https://me:secret@proxy' }, 'https://me:secret@proxy/'],
  ['http://localhost:8080', BOTH, undefined],
  ['http://127.8.8.8', BOTH, undefined],
  ['http://[::1]:8080', BOTH, undefined],
  ['http://127.example.com', BOTH, 'http://plain:3128/'],
])('finds the proxy of %s with %j', (target, environment, proxy) => {
  expect(findProxy(target, environment)?.url).toBe(proxy)
})

test.each<[string, string, boolean]>([
  ['http://api.example.com', '*', true],
  ['http://api.example.com', 'example.com', true],
  ['http://example.com', 'example.com', true],
  ['http://api.example.com', '.example.com', true],
  ['http://example.com', '.example.com', false],
  ['http://api.example.com', '*.example.com', true],
  ['http://notexample.com', 'example.com', false],
  ['http://api.example.com', 'a.test, EXAMPLE.com ', true],
  ['http://api.example.com:8080', 'example.com:8080', true],
  ['http://api.example.com', 'example.com:80', true],
  ['https://api.example.com', 'example.com:80', false],
  ['http://10.1.2.3', '10.0.0.0/8', true],
  ['http://11.1.2.3', '10.0.0.0/8', false],
  ['http://10.1.2.3', '10.1.2.3', true],
  ['http://10.1.2.3:81', '10.1.2.3:80', false],
  ['http://[fd00::1]', 'fd00::/8', true],
  ['http://[fd00::1]', 'fd00::1', true],
  ['http://[fd00::1]:81', '[fd00::1]:80', false],
  ['http://[fd00::1]:80', '[fd00::1]:80', true],
  ['http://[fd00::1]', '[fd00::1]:', true],
  ['http://[fd00::1]', '[fd00::1]', false],
  ['http://example.com', 'example.com:', true],
  ['http://api.example.com', '10.0.0.0/8', false],
  ['http://api.example.com', ' , ', false],
])('connects to %s with NO_PROXY=%s directly: %s', (target, exceptions, isDirect) => {
  for (const name of ['NO_PROXY', 'no_proxy']) {
    expect(findProxy(target, { ...BOTH, HTTPS_PROXY: 'http://p', [name]: exceptions }) === undefined).toBe(isDirect)
  }
})

test.each(['socks5://proxy:1080', 'http://', 'proxy:port'])('rejects the proxy %s without showing it', (proxy) => {
  const find = () => findProxy('https://api.example.com', { https_proxy: proxy })
  expect(find).toThrow(InvalidOptionError)
  expect(find).toThrow(/^https_proxy is not an http or https address/)
  expect(find).not.toThrow(proxy)
  expect(findProxy('http://api.example.com', { https_proxy: proxy })).toBeUndefined()
})
