import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { runCli, runCliInSharedProcess } from './testing/run-cli.ts'

const KEYS = {
  '--key': 'sk-svc-Fq7Lx2Vb9Tn4Rw8Zk3Mc6Yd1Hs5Gj0',
  '--no-credits-key': 'sk-svc-Pa1Se2Dr3Ft4Gz5Hu6Ji7Ko8Lp9Xc0',
  '--limited-key': 'sk-svc-Qw0Er9Tz8Ui7Op6As5Df4Gh3Jk2Lm1',
}
const GATEWAY_HEADER = 'x-gateway-password: Vc3Bn5Mq7Wy9Xz2Kd4'
const SECRETS = [...Object.values(KEYS), GATEWAY_HEADER.slice('x-gateway-password: '.length)]

/** Starts a server that calls `respond` for each request, passes its address to `use`, and closes the server. */
async function withServer<T>(
  respond: (request: IncomingMessage, response: ServerResponse, body: string) => void,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => respond(request, response, Buffer.concat(chunks).toString('latin1')))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  try {
    return await use(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

function argumentsFor(url: string): string[] {
  return ['conformance', '--target', url, ...Object.entries(KEYS).flat(), '--header', GATEWAY_HEADER]
}

/**
 * Repeats the secret headers of a request in every part of the response. Padding of varying length moves the position
 * at which the suite truncates output.
 */
function echo(request: IncomingMessage, response: ServerResponse, body: string): void {
  const sent = [request.headers.authorization, request.headers['x-gateway-password']].map(String)
  const isImage = request.url?.startsWith('/v1/images/') === true && request.method === 'GET'
  const filler = 'x'.repeat((body.length * 7 + (request.url?.length ?? 0)) % 80)
  const text = `${filler}${sent.join(' ')}`
  const url = `http://${request.headers.host}/v1/images/${encodeURIComponent(sent.join(''))}.png`
  const document = {
    id: text,
    object: text,
    created: text,
    model: text,
    text,
    [text]: text,
    usage: text,
    error: { message: text, code: text },
  }
  const choices = [
    { index: text, message: { role: text, content: text }, delta: { role: text, content: text }, finish_reason: text },
  ]
  const json = JSON.stringify({ ...document, choices, data: [{ url, id: text, object: text, owned_by: text }] })
  const isStream = body.includes('"stream":true')
  response.writeHead(isImage && filler.length % 2 === 0 ? 404 : 200, {
    'content-type': isStream ? 'text/event-stream' : `application/json; was=${sent[0]}`,
    'x-request-id': text,
    'retry-after': text,
    location: url,
  })
  response.end(isStream ? `event: ${text}\nid: ${text}\ndata: ${json}\n\ndata: ${text}\n\n` : json)
}

/**
 * Returns all substrings of eight characters that contain none of the last four characters. Reports may show those
 * four.
 */
function listSubstrings(secret: string): string[] {
  const body = secret.replace('sk-svc-', '').slice(0, -4)
  return Array.from({ length: body.length - 7 }, (_, at) => body.slice(at, at + 8))
}

test('prints no key, even if the target returns the whole request', async () => {
  const { printed, run } = await withServer(echo, async (url) => ({
    run: await runCli(argumentsFor(url)),
    printed: await runCli([...argumentsFor(url), '--json', '--only', '2.4', '--only', '4.2']),
  }))
  expect(run.exitCode).toBe(1)
  // Ensures that the report contains the echo, with the key masked.
  expect(run.stdout).toContain('…')
  expect(JSON.stringify(run.document)).toContain('was=Bearer …5Gj0')
  const everything = [run.stdout, run.stderr, JSON.stringify(run.document), printed.stdout, printed.stderr].join('\n')
  expect(SECRETS.flatMap(listSubstrings).filter((piece) => everything.includes(piece))).toEqual([])
})

test('escapes terminal control characters of a target', async () => {
  const received = '\u001b[2J\u001b]0;title\u0007 \u009b31m \u202e <script>alert(1)</script> \r\rCONFORMANT'
  const json = JSON.stringify({
    id: received,
    object: received,
    model: received,
    text: received,
    choices: [],
    error: { message: received },
    data: [{ id: received, url: received }],
  })
  const { run, written } = await withServer(
    (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(json),
    async (url) => {
      const file = await runCliInSharedProcess([...argumentsFor(url), '--verbose'])
      return {
        run: file,
        written: await runCliInSharedProcess([...argumentsFor(url), '--json', '--only', '2.4', '--only', '4.2']),
      }
    },
  )
  expect(run.stdout).toContain('NON-CONFORMANT')
  expect(run.stdout).toContain('\\u{9b}31m')
  for (const text of [run.stdout, run.stderr, written.stdout]) {
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  }
})
