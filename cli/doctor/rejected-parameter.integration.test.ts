import { expect, test } from 'vitest'
import { readBody, serveHttp } from '../../common/testing/local-server.ts'
import { runCliInSharedProcess } from '../testing/run-cli.ts'

test('names the parameter that a server rejects instead of advising on headers', async () => {
  await using server = await serveHttp(async (request, response) => {
    const { max_tokens: maxTokens = 0 } = JSON.parse(String(await readBody(request)) || '{}')
    const isList = request.method === 'GET'
    response.writeHead(isList || maxTokens >= 100 ? 200 : 422, { 'content-type': 'application/json' })
    response.end(
      isList
        ? '{"object":"list","data":[{"id":"a","object":"model","created":1,"owned_by":"b"}]}'
        : '{"detail":[{"loc":["body","max_tokens"],"msg":"Input should be at least 100"}]}',
    )
  })
  const { stdout } = await runCliInSharedProcess(['doctor', '--target', server.url, '--key', 'sk-svc-0123456789'])
  expect(stdout).toMatch(
    /^error +chat +a completes no chat: the server rejects max_tokens 16 \(POST \/v1\/chat\/completions returned 422\): .*at least 100/m,
  )
  expect(stdout).not.toContain('--header')
})
