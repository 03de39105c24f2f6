import type { FormFields } from '../requests/api-request.ts'
import type { Exchange } from '../http/exchange.ts'
import type { SecretMask } from './secrets.ts'

/** Maximum body in a command. Longer ones are only in the evidence: a command line is for reading and pasting. */
const LONGEST_BODY_CHARACTERS = 4096

/** Fields that curl sets itself. */
const OWN_HEADERS = new Set(['content-length', 'host', 'user-agent', 'connection'])

/** Header fields that the suite sends with every request and that do not matter. */
const USUAL_HEADERS: Readonly<Record<string, string>> = { accept: '*/*', 'accept-encoding': 'identity' }

/** Returns a curl command that repeats a request. `form` has the fields of a multipart request. */
export function reproduceLine(request: Exchange['request'], form: FormFields | undefined, mask: SecretMask): string {
  // curl chooses the boundary of a form itself.
  const isOwn = (name: string): boolean => OWN_HEADERS.has(name) || (form !== undefined && name === 'content-type')
  const headers = Object.entries(request.headers).filter(
    ([name, value]) => !isOwn(name) && USUAL_HEADERS[name] !== value,
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

/** HEAD needs the flag `--head`: with `-X HEAD` curl waits for a body that never comes. */
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
  if (isExact && text.length <= LONGEST_BODY_CHARACTERS) {
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
