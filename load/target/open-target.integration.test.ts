import { expect, test } from 'vitest'
import { serveHttp } from '../../common/testing/local-server.ts'
import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import type { LoadContext } from '../options/load-context.ts'
import { applyDefaults } from '../options/load-options.ts'
import { openTarget } from './open-target.ts'

test('shows a fingerprint of a key, and nothing of a short key', async () => {
  await using server = await serveHttp((_request, response) => response.end('{}'))
  const options = applyDefaults({
    target: server.url,
    key: 'sk-svc-Fq7Lx2Vb9Tn4Rw8Z',
    limitedKey: 'sk-svc-1234',
  })
  const context: LoadContext = {
    toolVersion: '1.0.0',
    environment: {},
    signal: new AbortController().signal,
    startEmbedded: () => Promise.reject(new Error('an emulator was started')),
  }
  const { entry, problem } = await openTarget(options, context)
  expect([problem, entry.keys]).toEqual([
    undefined,
    {
      funded: fingerprintSecret('sk-svc-Fq7Lx2Vb9Tn4Rw8Z'),
      limited: '(hidden)',
    },
  ])
})
