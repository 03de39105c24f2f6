/** Matches a word in the name of a header or parameter with a secret value, such as the last of `x-api-key`. */
const SECRET_WORD =
  /auth(?!ors?$)|cookie|credential|hmac|jwt|pass|pwd|secret|session|sig$|signature|token|^(?:api|app|access|client|licen[cs]e|subscription)?keys?$/

/** Results for the names of headers, which are the same in most requests. */
const knownNames = new Map<string, boolean>()
const MAX_KNOWN_NAMES = 1000

/** Returns whether the name of a header or a query parameter indicates that its value is secret. */
export function isSecretName(name: string): boolean {
  const known = knownNames.get(name)
  if (known !== undefined) return known
  const words = name.toLowerCase().split(/[^a-z0-9]+/)
  const isSecret = words.some((word) => SECRET_WORD.test(word))
  if (knownNames.size === MAX_KNOWN_NAMES) knownNames.clear()
  knownNames.set(name, isSecret)
  return isSecret
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** Returns the secrets in the headers whose names say that their values are secret. */
export function listHeaderSecrets(headers: Headers): string[] {
  return Object.entries(headers).flatMap(([name, value = []]) =>
    isSecretName(name) ? [value].flat().flatMap((one) => listValueSecrets(one)) : [],
  )
}

/** Returns the secrets in the value of a header: credentials without their scheme, or the values of cookies. */
export function listValueSecrets(value: string): string[] {
  const credentials = value.trim().replace(/^[A-Za-z]+ +/, '')
  const basic = /^basic /i.test(value) ? Buffer.from(credentials, 'base64').toString('utf8').split(':') : []
  const cookies = value
    .split(';')
    .flatMap((pair) => (pair.includes('=') ? [pair.slice(pair.indexOf('=') + 1).trim()] : []))
  return [credentials, ...basic, ...cookies].filter((secret) => secret !== '')
}

/**
 * Returns the secrets in the URLs of a text, or in the target of a request, as written: user names, passwords, and
 * parameters with secret names.
 */
export function listUrlSecrets(text: string): string[] {
  const users = Array.from(text.matchAll(/:\/\/([^/?#\s"']*)@/g), ([, user = '']) => user.split(':'))
  const parameters = text.matchAll(/[?&]([^=&#\s"']*)=([^&#\s"']*)/g)
  const values = Array.from(parameters, ([, name = '', value = '']) => (isSecretName(name) ? value : ''))
  return [...users.flat(), ...values].filter((secret) => secret !== '')
}

/** Replaces the texts in members with secret names by `…`. Numbers remain, such as the limit `max_tokens`. */
export function hideSecretMembers(value: unknown, isSecret = false): unknown {
  if (typeof value === 'string') return isSecret ? '…' : value
  if (Array.isArray(value)) return value.map((item) => hideSecretMembers(item, isSecret))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, hideSecretMembers(member, isSecret || isSecretName(name))]),
  )
}

export function hideUrlSecrets(text: string): string {
  const withoutUsers = text.replaceAll(/(?<=:\/\/)[^/?#\s"']*@/g, '…@')
  return withoutUsers.replaceAll(/(?<=[?&]([^=&#\s"']*)=)[^&#\s"']+/g, (value, name: string) =>
    isSecretName(name) ? '…' : value,
  )
}
