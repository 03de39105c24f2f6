import { expect, test } from 'vitest'
import { serveHttp } from '../../common/testing/local-server.ts'
import { runCliInSharedProcess } from '../testing/run-cli.ts'

const COMPLETION = '{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"Hello."}}]}'

test('names the flag for a target that serves chat, but has no list of models, and whether it checks keys', async () => {
  await using server = await serveHttp((request, response) => {
    const isChat = request.method === 'POST'
    response.writeHead(isChat ? 200 : 404, { 'content-type': 'application/json' }).end(isChat ? COMPLETION : '{}')
  })
  const target = server.url
  const { stdout } = await runCliInSharedProcess(['doctor', '--target', target, '--key', 'sk-svc-0123456789'])
  expect(stdout).toMatch(/^warning +key +the target does not check keys: it also serves an unknown key/m)
  expect(stdout).toMatch(
    /^error +models +GET \/v1\/models returned 404: \{\}\n +→ if the target does not list its models, run the suite with --without models$/m,
  )
})
