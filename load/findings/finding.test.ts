import { expect, test } from 'vitest'
import { nameProperty } from '../../common/options/invalid-option-error.ts'
import { describeFinding, type LoadFinding } from './finding.ts'

test.each<[LoadFinding, string]>([
  [
    { code: 'k6-missing', params: { minGo: '1.25', packageName: null } },
    'There is no k6 that can generate the load. Put Go 1.25 or later on the PATH, so that touchstone can build k6, or give the path of a k6 with the extension (<k6>). scenarios/extension/README.md describes the build.',
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
      params: { operation: 'speech', model: 'a,b', isDefault: false, status: 404, listed: ['my model'], more: 0 },
    },
    "The target does not serve the model a,b: its list of models does not contain it, and a speech request got status 404. It lists my model. Set <models> to a model for speech, such as 'speech=my model'. A comma is part of the ID: a run uses one model for each operation.",
  ],
  [
    {
      code: 'model-missing',
      params: { operation: 'chat', model: 'x', isDefault: false, status: 404, listed: ['a=b'], more: 0 },
    },
    'The target does not serve the model x: its list of models does not contain it, and a chat request got status 404. It lists a=b. Set <models> to a model for chat, such as chat=a=b.',
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
    {
      code: 'target-unreachable',
      params: {
        target: 'https://h',
        failure: { cause: 'untrusted-certificate', message: 'its certificate is not trusted' },
      },
    },
    'Cannot use https://h: its certificate is not trusted (set <ca> to a file with the certificate of its issuer, or <insecure> to accept any).',
  ],
  [
    {
      code: 'behaviour-above-capacity',
      params: {
        level: 16,
        unit: 'parallel streams',
        durationS: 18.483,
        ended: 40,
        failed: 0,
        causes: [],
        okPerSecond: 2.587,
        okPerSecondAtCapacity: 2.6,
        ttftP50Ms: 3181.2,
        ttftP50MsAtCapacity: 102,
        recoveryLevel: 4,
        recoveryS: 37,
        recoveryMetrics: ['ttft'],
        recoveredAfterS: 4,
      },
    },
    'At 16 parallel streams for 18 s, 0 of 40 requests failed. About 2.6 requests per second succeeded instead of 2.6. The median TTFT was 3181 ms instead of 102 ms. Then, at 4 parallel streams, the budgets on ttft held again after 4 s.',
  ],
])('describes %j with options as the reader names them', (finding, sentence) => {
  expect(describeFinding(finding, (option) => `<${option}>`)).toBe(sentence)
})

test('names the options of a finding as in the API by default', () => {
  const params = { metric: 'text_ttft.p50', cause: 'text', missing: 9, streams: 9, cut: 9, allowedPercent: 50 } as const
  expect(describeFinding({ code: 'streams-without-sample', params }, nameProperty)).toBe(
    'text_ttft.p50 cannot be measured: 9 of 9 streams ended before any text, and text_ttft.p50 allows 50 %. All of them reached max_tokens: raise maxTokens.',
  )
})
