import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type { LoadOptions, LoadContext } from '../options/load-options.ts'
import { openTarget } from './open-target.ts'

test('a document names keys by their ends, and short ones not at all', async () => {
  const server = createServer((_request, response) => response.end('{}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on TCP
  const options = {
    target: `http://127.0.0.1:${port}`,
    keys: { funded: 'sk-svc-Fq7Lx2Vb9Tn4Rw8Z', limited: 'sk-svc-1234' },
  } as LoadOptions // what bears on an address
  const { entry, problem } = await openTarget(options, {} as LoadContext) // of which nothing is needed
  server.close()
  expect([problem, entry.keys]).toEqual([undefined, { funded: '…Rw8Z', limited: '…' }])
})
