import type { FormFields } from '../requests/api-request.ts'
import type { Exchange } from '../http/exchange.ts'
import type { SecretMask } from './secrets.ts'

/** Maximum length of a body in a command, in characters. For a longer body, the command refers to the evidence. */
const MAX_BODY_CHARACTERS = 4096

/** Header fields that curl adds itself, so that the command omits them. */
const CURL_HEADERS = new Set(['content-length', 'host', 'user-agent', 'connection'])

/**
 * Header fields that the suite sends by default. The command omits them, because they have no effect on the response.
 */
const DEFAULT_HEADERS: Readonly<Record<string, string>> = { accept: '*/*', 'accept-encoding': 'identity' }

/** Returns a curl command that repeats a request. `form` contains the fields of a multipart request. */
export function buildCurlCommand(request: Exchange['request'], form: FormFields | undefined, mask: SecretMask): string {
  // For a form, curl generates the boundary and therefore also the Content-Type.
  const isOwn = (name: string): boolean => CURL_HEADERS.has(name) || (form !== undefined && name === 'content-type')
  const headers = Object.entries(request.headers).filter(
    ([name, value]) => !isOwn(name) && DEFAULT_HEADERS[name] !== value,
  )
  const body = form === undefined ? bodyArguments(request.body, mask) : formArguments(form, mask)
  return [
    'curl -sS -i',
    ...methodArguments(request.method),
    mask.quote(request.url),
    ...headers.flatMap(([name, value]) => ['-H', mask.quote(value === '' ? `${name};` : `${name}: ${value}`)]),
    ...body,
  ].join(' ')
}

/**
 * Returns the curl arguments for a method. HEAD requires `-I`: with `-X HEAD`, curl waits for a body that never
 * arrives.
 */
function methodArguments(method: string): string[] {
  if (method === 'GET') return []
  return method === 'HEAD' ? ['-I'] : ['-X', method]
}

function bodyArguments(body: Uint8Array | undefined, mask: SecretMask): string[] {
  if (body === undefined) {
    return []
  }
  const text = Buffer.from(body).toString('utf8')
  const isExact = Buffer.from(text).equals(body) && !text.includes('\0')
  if (isExact && text.length <= MAX_BODY_CHARACTERS) {
    return ['--data-raw', mask.quote(text)]
  }
  return ['--data-binary', '@body', `# body: ${body.byteLength} bytes, see the evidence`]
}

function formArguments(form: FormFields, mask: SecretMask): string[] {
  const parts = Object.entries(form).flatMap(([name, value]) => {
    if (value === undefined) {
      return []
    }
    if (typeof value === 'string') {
      return ['--form-string', mask.quote(`${name}=${value}`)]
    }
    return ['-F', mask.quote(`${name}=@${value.filename};type=${value.mediaType}`)]
  })
  const files = Object.values(form).filter((value) => typeof value === 'object')
  const kind = files[0]?.bytes.byteLength === 0 ? 'an empty file' : 'any file of that kind'
  const hint = files.length === 0 ? [] : [`# ${kind} as ${files[0]?.filename}`]
  return [...parts, ...hint]
}
