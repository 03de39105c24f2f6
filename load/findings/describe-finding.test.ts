import { expect, test } from 'vitest'
import { nameProperty } from '../../common/options/invalid-option-error.ts'
import { describeFinding } from './describe-finding.ts'
import type { LoadFinding } from './finding.ts'

test.each<[LoadFinding, string]>([
  [
    { code: 'k6-missing', params: { minGo: '1.25', packageName: null } },
    'There is no k6 that can generate the load. Put Go 1.25 or later on the PATH, so that touchstone can build k6, or give the path of a k6 with the extension (<k6>). scenarios/extension/README.md describes the build.',
  ],
  [
    { code: 'k6-missing', params: { minGo: '1.25', packageName: '@scope/k6' } },
    'There is no k6 that can generate the load: the package @scope/k6 is not installed. Install touchstone with optional dependencies (npm install --include=optional), put Go 1.25 or later on the PATH, or give the path of a k6 with the extension (<k6>).',
  ],
  [
    {
      code: 'model-missing',
      params: { operation: 'chat', model: 'x', isDefault: true, status: 404, listed: ['a', 'b'], more: 0 },
    },
    'The target does not serve the model x (the default): its list of models does not contain it, and a chat request got status 404. It lists a, b. Set <models> to a model for chat, such as a.',
  ],
  [
    {
      code: 'model-missing',
      params: { operation: 'speech', model: 'x', isDefault: false, status: 400, listed: ['a'], more: 1 },
    },
    'The target does not serve the model x: its list of models does not contain it, and a speech request got status 400. It lists a and 1 other. Set <models> to a model for speech, such as speech=a.',
  ],
  [
    {
      code: 'model-missing',
      params: { operation: 'chat', model: 'x', isDefault: true, status: 404, listed: [], more: 0 },
    },
    'A chat request with the model x (the default) got status 404, and no list of models could be read. Check the base URL (<target>) and the model (<models>).',
  ],
  [
    {
      code: 'no-success',
      params: {
        sent: 9,
        causes: [
          { cause: '429', count: 5 },
          { cause: '401', count: 4 },
        ],
        status: null,
      },
    },
    'None of the 9 requests succeeded (5 × 429, 4 × 401), so no latency was measured. Set <key> to a key that the target accepts.',
  ],
  [
    { code: 'no-success', params: { sent: 9, causes: [{ cause: '429', count: 9 }], status: 429 } },
    'None of the 9 requests succeeded (9 × 429), so no latency was measured. The target limits the rate of requests: lower <rate> or <vus>, or use a key with a higher limit.',
  ],
  [
    { code: 'k6-package-unreadable', params: { name: '@scope/k6', path: 'a/bin/k6', problem: 'ENOENT' } },
    'Cannot read a/bin/k6: ENOENT. Install @scope/k6 again, or give the path of another k6 (<k6>).',
  ],
  [
    { code: 'k6-not-started', params: { path: 'a/bin/k6', problem: 'EACCES' } },
    'Cannot start a/bin/k6: EACCES. Check that the file is executable and belongs to this platform, or give the path of another k6 (<k6>).',
  ],
  [
    { code: 'k6-package-changed', params: { name: '@scope/k6', path: 'a/bin/k6' } },
    'a/bin/k6 is not the k6 of this version of touchstone: its SHA-256 differs. Install @scope/k6 again, or give the path of another k6 (<k6>).',
  ],
  [
    {
      code: 'target-unreachable',
      params: {
        target: 'http://h:1',
        failure: { cause: 'untrusted-certificate', message: 'its certificate is not trusted' },
        isProxied: true,
      },
    },
    'Cannot reach http://h:1 through the proxy: the certificate of the proxy is not trusted (set NODE_EXTRA_CA_CERTS and SSL_CERT_FILE to a file with the certificate of its issuer). Check that the proxy and the service are running, or exclude the target with NO_PROXY.',
  ],
  [
    { code: 'proxy-requires-credentials', params: { target: 'http://h:1' } },
    'The proxy for http://h:1 requires a user name and a password (status 407): write them into its variable, such as http://name:password@proxy:3128.',
  ],
  [
    {
      code: 'target-unreachable',
      params: { target: 'http://h:1', failure: { cause: 'network', message: 'connection refused' } },
    },
    'Cannot reach http://h:1: connection refused. Start the service, or omit <target> to load-test the built-in emulator.',
  ],
  [
    {
      code: 'target-unreachable',
      params: {
        target: 'https://h',
        failure: { cause: 'untrusted-certificate', message: 'its certificate is not trusted' },
      },
    },
    'Cannot reach https://h: its certificate is not trusted (set <ca> to a file with the certificate of its issuer, or <insecure> to accept any). Start the service, or omit <target> to load-test the built-in emulator.',
  ],
  [
    {
      code: 'target-unreachable',
      params: { target: 'https://h', failure: { cause: 'tls', message: 'no TLS connection (EPROTO)' } },
    },
    'Cannot reach https://h: no TLS connection (EPROTO) (check the scheme, http or https). Start the service, or omit <target> to load-test the built-in emulator.',
  ],
  [
    {
      code: 'target-unreachable',
      params: { target: 'http://h', failure: { cause: 'network', message: 'connection refused' }, isProxied: true },
    },
    'Cannot reach http://h through the proxy: connection refused. Check that the proxy and the service are running, or exclude the target with NO_PROXY.',
  ],
  [
    { code: 'scenario-requires-key', params: { scenario: 'rate-limit', option: 'limitedKey' } },
    'The scenario rate-limit needs a key: set <limitedKey>.',
  ],
  [
    { code: 'k6-failed', params: { exitCode: null, hasResult: false, message: '' } },
    'k6 was terminated by a signal without a usable result. If <k6> names a script, the script must pass its standard input to k6, because k6 stops when its standard input ends.',
  ],
  [{ code: 'k6-failed', params: { exitCode: 107, hasResult: true, message: 'boom' } }, 'k6 exited with code 107: boom'],
  [{ code: 'segments-missing', params: { count: 4, missing: [2, 4] } }, 'Of 4 segments, 2/4, 4/4 are missing.'],
  [
    { code: 'spend-limit-reached', params: { limit: '5', counted: '3', underWay: '1.5', next: '0.6' } },
    '<maxCredits> ended the run. The limit of this process is 5 credits. The process has spent 3 credits. Requests in flight may cost 1.5, and the next request may cost 0.6.',
  ],
])('describes %j with options as the reader names them', (finding, sentence) => {
  expect(describeFinding(finding, (option) => `<${option}>`)).toBe(sentence)
})

test('names the options of a finding as in the API by default', () => {
  const finding = { code: 'no-text-in-streams', params: { metric: 'ttft.p50' } } as const
  expect(describeFinding(finding, nameProperty)).toContain('Set contentPath to the path of the text.')
})
