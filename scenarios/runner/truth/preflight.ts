import { readFile } from 'node:fs/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { LoadUsageError } from '../usage-error.ts'

const WAIT_MS = 10_000

/** Whom a target may say it is. */
export interface Trust {
  /** File of certificates, PEM. */
  readonly ca?: string | undefined
  readonly skipsTlsCheck?: boolean | undefined
}

/** The keys that a run was given; only the funded one is shown to the target before the run. */
export interface PreflightKeys {
  readonly funded?: string | undefined
  readonly limited?: string | undefined
  readonly small?: string | undefined
}

/**
 * Asks a target for its models, once: nothing is loaded that does not answer or does not let us in.
 * @returns one sentence that says what is wrong, or undefined
 * @throws LoadUsageError when the file of certificates cannot be read
 */
export async function findTargetProblem(
  target: string,
  { funded: key, limited, small }: PreflightKeys,
  trust: Trust = {},
): Promise<string | undefined> {
  let status: number
  try {
    status = await askForModels(target, key, trust)
  } catch (error) {
    if (error instanceof LoadUsageError) throw error
    return `Nothing usable answered at ${target} (${wordsFor(error)}): is the service running there? Without --target the emulator is started.`
  }
  const hasOtherKey = key === undefined && (limited ?? small) !== undefined
  if ((status === 401 || status === 403) && !hasOtherKey) {
    return key === undefined
      ? `${target} asks for a key: give one with --key or TOUCHSTONE_KEY.`
      : `${target} refused the key (${status}): give one that is valid with --key or TOUCHSTONE_KEY.`
  }
  return undefined
}

/** By node:http, as fetch cannot be told whom to trust. */
async function askForModels(target: string, key: string | undefined, { ca, skipsTlsCheck }: Trust): Promise<number> {
  const certificates = ca === undefined ? undefined : await readCertificates(ca)
  const options = {
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(WAIT_MS),
    agent: false,
    ...(certificates === undefined ? {} : { ca: certificates }),
    rejectUnauthorized: skipsTlsCheck !== true,
  } as const
  const url = new URL(`${target}/v1/models`)
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode ?? 0))
      answer.on('error', reject)
    })
    request.on('error', reject)
    request.end()
  })
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

function wordsFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return `no answer within ${WAIT_MS / 1000} s`
  const code = 'code' in error ? String(error.code) : ''
  return WORDS[code] ?? (code === '' ? error.message : code)
}
