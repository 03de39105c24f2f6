import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import type { LoadContext } from '../options/load-context.ts'
import { applyDefaults } from '../options/load-options.ts'
import { openTarget } from './open-target.ts'

test('shows a fingerprint of a key, and nothing of a short key', async () => {
  const server = createServer((_request, response) => response.end('{}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // The cast is safe: `address()` returns a string only for a server on a pipe.
  const options = applyDefaults({
    target: `http://127.0.0.1:${port}`,
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
  server.close()
  expect([problem, entry.keys]).toEqual([
    undefined,
    {
      funded: fingerprintSecret('sk-svc-Fq7Lx2Vb9Tn4Rw8Z'),
      limited: '(hidden)',
    },
  ])
})
