import { type LocalServer, readBody, serveHttp } from '../../common/testing/local-server.ts'

/** Three MPEG frames of 417 bytes: MPEG-1 layer 3 with 128 kbit/s and 44.1 kHz. */
const MP3 = Buffer.concat(
  Array.from({ length: 3 }, () => Buffer.concat([Buffer.from('fffb9000', 'hex'), Buffer.alloc(413)])),
)

const RESPONSES: Readonly<
  Record<string, { readonly type: string; readonly body: string | Buffer; readonly needs: string }>
> = {
  '/v1/audio/transcriptions': { type: 'application/json', body: '{"text":"Hello."}', needs: 'filename=' },
  '/v1/audio/speech': { type: 'audio/mpeg', body: MP3, needs: '"input":"' },
}

interface AudioServerOptions {
  /** Operations that the server offers. Default: both. */
  readonly offers?: readonly ('transcriptions' | 'speech')[]
  /** Body of the 404 for each other path. Default: JSON. */
  readonly notFound?: { readonly type: string; readonly body: string }
  /** Key without which the server returns 401. */
  readonly key?: string
}

/** Starts a server that offers audio operations with any model, but neither chat nor a list of models. */
export function startAudioServer({
  offers = ['transcriptions', 'speech'],
  notFound = { type: 'application/json', body: '{"detail":"Not Found"}' },
  key,
}: AudioServerOptions = {}): Promise<LocalServer> {
  return serveHttp(async (request, response) => {
    const body = String(await readBody(request))
    const { method, url = '', headers } = request
    const isOffered = method === 'POST' && offers.some((operation) => url === `/v1/audio/${operation}`)
    const known = isOffered ? RESPONSES[url] : undefined
    const send = (status: number, type: string, content: string | Buffer) =>
      response.writeHead(status, { 'content-type': type }).end(content)
    if (known === undefined) send(404, notFound.type, notFound.body)
    else if (key !== undefined && headers.authorization !== `Bearer ${key}`)
      send(401, 'application/json', '{"error":{"message":"no key"}}')
    else if (!body.includes(known.needs)) send(400, 'application/json', '{"error":{"message":"a field is missing"}}')
    else send(200, known.type, known.body)
  })
}
