import { gzipSync } from 'node:zlib'
import type { FormFields, FormFile } from '../requests/api-request.ts'
import type { Exchange } from '../http/exchange.ts'
import { isStreamingRequest } from '../http/request-body.ts'
import type { SecretMask } from './secrets.ts'

/** Maximum length of a body in a command, in characters. A longer body is compressed, or left out. */
const MAX_BODY_CHARACTERS = 4096

/** Header fields that curl adds itself, so that the command omits them. */
const CURL_HEADERS = new Set(['content-length', 'host', 'user-agent', 'connection'])

/** Header fields that the suite sends by default, and that have no effect on the response. */
const DEFAULT_HEADERS: Readonly<Record<string, string>> = { accept: '*/*', 'accept-encoding': 'identity' }

/** What a command must know about the response. */
export interface ResponseFacts {
  /** Whether the response has a body, which curl shows after HEAD only on request. */
  readonly hasBody?: boolean
  /** Time for which the suite waited for a response that did not end, in milliseconds. */
  readonly waitedMs?: number | undefined
}

/** Maximum time limit of a command, in seconds. It is enough to see that a response does not end. */
const MAX_LIMIT_SECONDS = 30

/** The arguments for a body, and a shell pipeline that writes the bytes which curl reads from its standard input. */
interface BodyArguments {
  readonly args: readonly string[]
  readonly input?: string | undefined
}

/** Returns a curl command that repeats a request, with large bodies and uploads in compressed form. */
export function buildCurlCommand(
  request: Exchange['request'],
  fields: FormFields | undefined,
  mask: SecretMask,
  response: ResponseFacts = {},
): string {
  const form = lacksBoundary(request) ? undefined : fields
  // For a form, curl generates the boundary and therefore also the Content-Type.
  const isOwn = (name: string): boolean => CURL_HEADERS.has(name) || (form !== undefined && name === 'content-type')
  const headers = Object.entries(request.headers).filter(
    ([name, value]) => !isOwn(name) && DEFAULT_HEADERS[name] !== value,
  )
  const body = form === undefined ? bodyArguments(request.body, mask) : formArguments(form, mask)
  return [
    ...(body.input === undefined ? [] : [`${body.input} |`]),
    'curl -sS -i',
    ...methodArguments(request.method, response),
    // curl then prints the events as they arrive.
    ...(isStreamingRequest(request) ? ['-N'] : []),
    mask.quote(request.url),
    ...headers.flatMap(([name, value]) =>
      // curl then sends the encodings that it supports, and prints the decompressed body as it arrives.
      name === 'accept-encoding' && request.method !== 'HEAD'
        ? ['--compressed']
        : ['-H', mask.quote(value === '' ? `${name};` : `${name}: ${value}`)],
    ),
    ...body.args,
  ].join(' ')
}

/** Returns whether a form has no boundary. It is then sent as bytes, because curl would add a boundary. */
function lacksBoundary({ headers }: Exchange['request']): boolean {
  const mediaType = headers['content-type'] ?? ''
  return mediaType.startsWith('multipart/') && !mediaType.includes('boundary=')
}

/** Returns the arguments for a method. `-X HEAD` would wait for a body, and the time limit ends this wait. */
function methodArguments(method: string, { hasBody = false, waitedMs }: ResponseFacts): string[] {
  if (method === 'HEAD' && hasBody) return ['-X', 'HEAD', '--max-time', '2']
  const limit = waitedMs === undefined ? [] : ['--max-time', String(limitSeconds(waitedMs))]
  if (method === 'GET') return limit
  return [...(method === 'HEAD' ? ['-I'] : ['-X', method]), ...limit]
}

/** Returns the time limit, as in the message of the check. Without a limit, curl would wait forever. */
function limitSeconds(waitedMs: number): number {
  return Math.min(MAX_LIMIT_SECONDS, Math.max(1, Math.round(waitedMs / 1000)))
}

function bodyArguments(body: Uint8Array | undefined, mask: SecretMask): BodyArguments {
  if (body === undefined) return { args: [] }
  const text = Buffer.from(body).toString('utf8')
  const isExact = Buffer.from(text).equals(body) && !text.includes('\0')
  const minRunBytes = isExact ? MIN_RUN_CHARACTERS : MIN_RUN_BYTES
  if (isExact && text.length <= MAX_BODY_CHARACTERS && findLongestRun(body).length < minRunBytes) {
    return { args: ['--data-raw', mask.quote(text)] }
  }
  const input = buildInputPipeline(body, mask, minRunBytes)
  return input === undefined
    ? { args: ['--data-binary', '@body', `# body: ${body.byteLength} bytes, see the evidence`] }
    : { args: ['--data-binary', '@-'], input }
}

function formArguments(form: FormFields, mask: SecretMask): BodyArguments {
  const file = Object.values(form).find((value) => typeof value === 'object')
  const input = file === undefined ? undefined : buildFilePipeline(file.bytes, mask)
  const args = Object.entries(form).flatMap(([name, value]) => {
    if (value === undefined) return []
    return typeof value === 'string'
      ? ['--form-string', mask.quote(`${name}=${value}`)]
      : ['-F', mask.quote(`${name}=@${describeFile(value, value === file && input !== undefined)}`)]
  })
  const hint = file === undefined || input !== undefined ? [] : [`# any file of that kind as ${file.filename}`]
  return { args: [...args, ...hint], input }
}

/** Pipelines of files, because many requests of a run upload the same file. */
const filePipelines = new WeakMap<SecretMask, Map<Uint8Array, string | undefined>>()

function buildFilePipeline(bytes: Uint8Array, mask: SecretMask): string | undefined {
  const known = filePipelines.get(mask) ?? new Map<Uint8Array, string | undefined>()
  filePipelines.set(mask, known)
  if (!known.has(bytes)) known.set(bytes, buildInputPipeline(bytes, mask))
  return known.get(bytes)
}

/** Returns the value of a curl option `-F name=@…`. A file from the standard input needs a name. */
function describeFile({ filename, mediaType }: FormFile, isInput: boolean): string {
  const path = isInput ? `-;filename=${quoteFilename(filename)}` : filename
  return `${path};type=${mediaType}`
}

/** Quotes a file name for the option `-F` of curl, if curl would otherwise end the name too early. */
function quoteFilename(filename: string): string {
  return /[",;\\]/.test(filename) ? `"${filename.replaceAll(/["\\]/g, String.raw`\$&`)}"` : filename
}

/** Returns a pipeline that writes the bytes, or undefined if they are too long, or contain a secret. */
function buildInputPipeline(bytes: Uint8Array, mask: SecretMask, minRunBytes = MIN_RUN_BYTES): string | undefined {
  const run = findLongestRun(bytes)
  if (run.length < minRunBytes) return bytes.byteLength === 0 ? "printf ''" : buildDecompressor(bytes, mask)
  const before = buildWriter(bytes.subarray(0, run.start), mask)
  const after = buildWriter(bytes.subarray(run.start + run.length), mask)
  if (before === undefined || after === undefined) return undefined
  const writers = [before, `head -c ${run.length} /dev/zero${translateZeros(run.byte)}`, after]
  return `{ ${writers.filter((writer) => writer !== '').join('; ')}; }`
}

/** Minimum length of a run of equal bytes that the command generates instead of containing it in compressed form. */
const MIN_RUN_BYTES = 65_536

/** The same for a body that is text, such as thousands of brackets, which would fill the terminal. */
const MIN_RUN_CHARACTERS = 256

/** A sequence of equal bytes. */
interface ByteRun {
  readonly start: number
  readonly length: number
  readonly byte: number
}

function findLongestRun(bytes: Uint8Array): ByteRun {
  let longest: ByteRun = { start: 0, length: 0, byte: 0 }
  let start = 0
  for (let end = 1; end <= bytes.byteLength; end += 1) {
    if (bytes[end] === bytes[start]) continue
    if (end - start > longest.length) longest = { start, length: end - start, byte: bytes[start] ?? 0 }
    start = end
  }
  return longest
}

function translateZeros(byte: number): string {
  const octal = byte.toString(8).padStart(3, '0')
  return byte === 0 ? '' : ` | tr '\\000' '\\${octal}'`
}

/** Returns a shell command that writes the bytes: as text if they are printable and few, otherwise from gzip. */
function buildWriter(bytes: Uint8Array, mask: SecretMask): string | undefined {
  if (bytes.byteLength === 0) return ''
  const text = Buffer.from(bytes).toString('latin1')
  return bytes.byteLength <= MAX_PRINTED_BYTES && /^[\x20-\x7e]*$/.test(text)
    ? `printf %s ${mask.quote(text)}`
    : buildDecompressor(bytes, mask)
}

/** Maximum number of bytes that a command writes as text. */
const MAX_PRINTED_BYTES = 512

function buildDecompressor(bytes: Uint8Array, mask: SecretMask): string | undefined {
  const text = Buffer.from(bytes).toString('latin1')
  const compressed = gzipSync(bytes, { level: 9 }).toString('base64')
  return compressed.length > MAX_BODY_CHARACTERS || mask.mask(text) !== text
    ? undefined
    : `echo ${compressed} | base64 -d | gunzip`
}
