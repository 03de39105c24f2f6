import { readFile } from 'node:fs/promises'
import { Agent, request as requestHttp } from 'node:http'
import { Agent as SecureAgent, request as requestHttps } from 'node:https'
import { LoadUsageError } from '../options/invalid-option-error.ts'

/** How long a target may take for an answer to one of these questions. */
const WAIT_MS = 10_000

/** No list of models, and no chat of one token, is longer. */
const MOST_CHARACTERS = 8 * 1024 * 1024

/** Whom a target may say it is. */
export interface Trust {
  /** File of certificates, PEM. */
  readonly ca?: string | undefined
  readonly skipsTlsCheck?: boolean | undefined
}

/** An answer as far as the runner looks at it. */
export interface TargetAnswer {
  /** 0: it had none. */
  readonly status: number
  readonly text: string
}

/** Asks the target for something under `/v1`; with a body it posts that as JSON. */
export type Ask = (path: string, body?: object) => Promise<TargetAnswer>

/**
 * For the runner's own questions to a target, which are no load. By node:http, as fetch cannot be told whom to trust.
 * @param atOnce connections that are kept, at most
 * @throws LoadUsageError when the file of certificates cannot be read
 */
export async function createAsk(
  target: string,
  key: string | undefined,
  trust: Trust,
  { atOnce = 1, timeoutMs = WAIT_MS, signal }: { atOnce?: number; timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<Ask & Disposable> {
  const tls = {
    ...(trust.ca === undefined ? {} : { ca: await readCertificates(trust.ca) }),
    rejectUnauthorized: trust.skipsTlsCheck !== true,
  }
  const isSecure = target.startsWith('https:')
  const agent = new (isSecure ? SecureAgent : Agent)({ keepAlive: atOnce > 1, maxSockets: atOnce })
  const ask: Ask = (path, body) => {
    const timeout = AbortSignal.timeout(timeoutMs)
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const method = body === undefined ? 'GET' : 'POST'
    const until = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
    return new Promise((resolve, reject) => {
      const request = (isSecure ? requestHttps : requestHttp)(
        `${target}/v1/${path}`,
        { method, headers, agent, signal: until, ...tls },
        (answer) => {
          let text = ''
          answer.setEncoding('utf8')
          answer.on('data', (part: string) => {
            text += part
            if (text.length > MOST_CHARACTERS) answer.destroy(new Error('an answer without an end'))
          })
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
          answer.on('error', reject)
        },
      )
      request.on('error', reject)
      request.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }
  return Object.assign(ask, { [Symbol.dispose]: () => agent.destroy() })
}

async function readCertificates(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new LoadUsageError(
      `--ca ${path} cannot be read (${error.code ?? error.message}): name a file of certificates.`,
    )
  })
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'no such host',
  ETIMEDOUT: 'no answer in time',
  EHOSTUNREACH: 'host unreachable',
  ...Object.fromEntries(
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ].map((code) => [code, 'its certificate is not trusted: name yours with --ca FILE, or take any with --insecure']),
  ),
}

/** Why there was no answer, in a few words. */
export function wordsFor(error: unknown, waitMs = WAIT_MS): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return `no answer within ${waitMs / 1000} s`
  const code = 'code' in error ? String(error.code) : ''
  return WORDS[code] ?? (code === '' ? error.message : code)
}
