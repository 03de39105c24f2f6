import { expect, test } from 'vitest'
import { findCauses } from './find-causes.ts'
import { createFinding } from './testing/findings.ts'

test('names the settings of proxies if large bodies get 413', () => {
  const finding = createFinding('chat', {
    verdict: 'fail',
    code: 'unexpected-status',
    params: { actualStatus: 413 },
    expected: { status: ['2xx', 400] },
  })
  expect(findCauses([finding])[0]?.remedy).toContain('client_max_body_size')
})

test.each([
  ['its path prefix', 'http://x/api', /^Image URLs lack the path of \{base_url\}/, 'X-Forwarded-Prefix'],
  ['the scheme of TLS', 'https://x', /^Image URLs begin with http: instead of https:/, 'X-Forwarded-Proto'],
])('names the header of proxies if an image URL lacks only %s', (_name, base, title, remedy) => {
  const request = { method: 'POST', url: `${base}/v1/images/generations`, headers: {}, body: '' }
  const finding = createFinding(
    'images',
    {
      verdict: 'fail',
      code: 'wrong-value',
      params: { path: 'data[0].url', actual: 'http://x/v1/images/1.png' },
      expected: { rule: 'image-url-address' },
    },
    { evidence: [{ startedAtMs: 0, request, response: null, truncated: false }] },
  )
  const [cause] = findCauses([finding])
  expect(cause?.title).toMatch(title)
  expect(cause?.remedy).toContain(remedy)
})

test.each([
  ['http://upstream:8000/v1/images/1.png', 'proxy_set_header Host'],
  // The address of the requests, which has no path prefix, although --base-url is another address.
  ['http://x/v1/images/1.png', 'proxy_set_header Host'],
  ['http://cdn.test/1.png', undefined],
])('names the settings of proxies if an image URL lacks only the base address: %s', (actual, remedy) => {
  const finding = createFinding('images', {
    verdict: 'fail',
    code: 'wrong-value',
    params: { path: 'data[0].url', actual },
    expected: { rule: 'image-url-address' },
  })
  const found = findCauses([finding])[0]?.remedy
  if (remedy === undefined) expect(found).toBeUndefined()
  else expect(found).toContain(remedy)
})
