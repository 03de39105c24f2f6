import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { runCliInSharedProcess } from '../testing/run-cli.ts'

const COMPLETION = '{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"Hello."}}]}'

test('names the flag for a target that serves chat, but has no list of models, and whether it checks keys', async () => {
  const server = createServer((request, response) => {
    const isChat = request.method === 'POST'
    response.writeHead(isChat ? 200 : 404, { 'content-type': 'application/json' }).end(isChat ? COMPLETION : '{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // The cast is safe: `address()` returns a string only for a server on a pipe.
  const target = `http://127.0.0.1:${port}`
  const { stdout } = await runCliInSharedProcess(['doctor', '--target', target, '--key', 'sk-svc-0123456789'])
  server.close()
  expect(stdout).toMatch(/^warning +key +the target does not check keys: it also serves an unknown key/m)
  expect(stdout).toMatch(
    /^error +models +GET \/v1\/models returned 404: \{\}\n +→ if the target does not list its models, run the suite with --without models$/m,
  )
})
