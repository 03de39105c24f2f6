import { readFile } from 'node:fs/promises'
import { Agent, request as requestHttp } from 'node:http'
import { Agent as SecureAgent, request as requestHttps } from 'node:https'
import { limitInterimResponses } from '../../common/limit-interim-responses.ts'
import type { GivenOptions } from '../../scenarios/lib/option-values.ts'
import { indexHeaders } from '../options/load-options.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'

/** Default timeout of a request that is not part of the load. */
export const DEFAULT_TIMEOUT_MS = 10_000

/** Maximum length of a response body. A list of models, or a chat response of one token, is shorter. */
const MAX_CHARACTERS = 8 * 1024 * 1024

/** The body of a response is longer than a list of models, or than a chat response of one token. */
export class ResponseTooLargeError extends Error {
  override readonly name = 'ResponseTooLargeError'

  constructor() {
    super('the response is too large')
  }
}

/** Options that decide which server certificates a client accepts, and which headers it adds to its requests. */
export type TargetClientOptions = { readonly [Name in 'ca' | 'insecure' | 'headers']?: GivenOptions[Name] | undefined }

export interface TargetResponse {
  readonly status: number
  readonly text: string
}

/** Sends a request to a path below `/v1`. With a body, the request is a POST with JSON, otherwise a GET. */
export type TargetClient = (path: string, body?: object) => Promise<TargetResponse>

/**
 * Creates a client for requests that are not part of the load. It uses node:http, because `fetch` has no option for
 * certificates.
 * @throws InvalidOptionError if the certificate file cannot be read
 */
export async function createClient(
  target: string,
  key: string | undefined,
  { ca, insecure, headers: added = [] }: TargetClientOptions,
  {
    timeoutMs = DEFAULT_TIMEOUT_MS,
    signal,
    proxy,
  }: { timeoutMs?: number; signal?: AbortSignal | undefined; proxy?: string | undefined } = {},
): Promise<TargetClient & Disposable> {
  const tls = {
    ...(ca === undefined ? {} : { ca: await readCertificates(ca) }),
    rejectUnauthorized: insecure !== true,
    // A server without HTTP/1.1 then rejects the connection instead of responding with an error.
    ALPNProtocols: ['http/1.1'],
  }
  const isSecure = target.startsWith('https:')
  const agent = new (isSecure ? SecureAgent : Agent)(
    proxy === undefined ? {} : { proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } },
  )
  const client: TargetClient = (path, body) => {
    const timeout = AbortSignal.timeout(timeoutMs)
    const headers = {
      ...indexHeaders(added),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const method = body === undefined ? 'GET' : 'POST'
    const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
    return new Promise((resolve, reject) => {
      const request = (isSecure ? requestHttps : requestHttp)(
        `${target}/v1/${path}`,
        { method, headers, agent, signal: either, ...tls },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => {
            text += chunk
            if (text.length > MAX_CHARACTERS) response.destroy(new ResponseTooLargeError())
          })
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
          response.on('error', reject)
        },
      )
      request.on('error', reject)
      limitInterimResponses(request)
      // Without a listener, Node closes the connection and emits neither a response nor an error.
      request.on('upgrade', ({ statusCode = 0 }, socket) => {
        socket.destroy()
        resolve({ status: statusCode, text: '' })
      })
      request.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }
  return Object.assign(client, { [Symbol.dispose]: () => agent.destroy() })
}

/**
 * Reads a PEM file.
 * @throws InvalidOptionError if the file cannot be read or contains no certificate
 */
export async function readCertificates(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const problem = error.code ?? error.message
    throw new InvalidOptionError({ reason: 'unreadable-file', option: 'ca', path, problem })
  })
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  const problem = 'The file contains no certificate. Specify a PEM file.'
  throw new InvalidOptionError({ reason: 'invalid-file', option: 'ca', path, problem })
}
