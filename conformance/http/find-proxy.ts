import { BlockList, isIP } from 'node:net'
import { InvalidOptionError } from '../options/invalid-option-error.ts'

export interface ProxySettings {
  /** An http or https URL. It may contain a user name and a password. */
  readonly url: string
  /** Name of the environment variable that contains the URL. */
  readonly variable: string
}

/**
 * Selects the proxy for a target from `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. Returns undefined for a direct
 * connection. The rules are the same as in Go's `httpproxy.FromEnvironment`, which k6 uses:
 * - Upper-case names take precedence over lower-case names.
 * - A loopback address never has a proxy.
 * - An entry of `NO_PROXY` also matches the subdomains of its host.
 * @throws InvalidOptionError if the proxy is not an http or https URL
 */
export function findProxy(
  target: string,
  environment: Readonly<Record<string, string | undefined>>,
): ProxySettings | undefined {
  const { protocol, hostname, port } = new URL(target)
  const isSecure = protocol === 'https:'
  const name = isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const variable = [name, name.toLowerCase()].find((one) => (environment[one] ?? '') !== '')
  if (variable === undefined) return undefined
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const exceptions = environment['NO_PROXY'] || environment['no_proxy'] || ''
  if (isLoopback(host) || isExcepted({ host, port: port || (isSecure ? '443' : '80') }, exceptions)) return undefined
  return { url: parseProxy(environment[variable] ?? '', variable), variable }
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

function isLoopback(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && LOOPBACK.check(host, familyOf(host)))
}

function isExcepted(target: { readonly host: string; readonly port: string }, exceptions: string): boolean {
  const entries = exceptions.split(',').map((entry) => entry.trim().toLowerCase())
  return entries.some((entry) => entry === '*' || (entry !== '' && matchesEntry(target, entry)))
}

/** Returns whether an entry of `NO_PROXY` matches, such as `example.com`, `10.0.0.0/8` or `10.0.0.1:8080`. */
function matchesEntry({ host, port }: { readonly host: string; readonly port: string }, entry: string): boolean {
  const [, network = '', bits] = /^(.+)\/(\d+)$/.exec(entry) ?? []
  if (bits !== undefined) return isIP(network) !== 0 && isInNetwork(host, network, Number(bits))
  // Go ignores brackets without a port, and accepts an empty port.
  const [, bracketed, plain = '', entryPort = ''] = /^(?:\[(.+)\]:(?=\d*$)|([^:[\]]*)(?::|$))(\d*)$/.exec(entry) ?? []
  // An IPv6 address without brackets contains colons, but they do not precede a port.
  const name = isIP(entry) === 0 ? (bracketed ?? plain) : entry
  if (name === '' || (entryPort !== '' && isIP(entry) === 0 && entryPort !== port)) return false
  if (isIP(name) !== 0) return isInNetwork(host, name, isIP(name) === 4 ? 32 : 128)
  const domain = name.replace(/^\*(?=\.)/, '')
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`)
}

function isInNetwork(host: string, network: string, bits: number): boolean {
  if (isIP(host) !== isIP(network) || bits > (isIP(network) === 4 ? 32 : 128)) return false
  const list = new BlockList()
  list.addSubnet(network, bits, familyOf(network))
  return list.check(host, familyOf(host))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}

function parseProxy(text: string, variable: string): string {
  // Adds a missing scheme, because Go and curl also accept a host and a port without a scheme.
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href
  // The message omits the value, because it may contain a password.
  const problem =
    'is not an http or https address, and other proxies are not supported: correct the variable, or exclude the target with NO_PROXY'
  throw new InvalidOptionError({ reason: 'invalid-value', option: variable, problem })
}
