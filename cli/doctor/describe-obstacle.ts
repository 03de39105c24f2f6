import type { CheckEntry, DocumentFinding } from '../../reports/conformance-document.ts'
import { formatCommand } from '../format-command.ts'
import { adviseForbidden } from './describe-response-class.ts'
import type { DoctorFinding } from './finding.ts'

export type KeyFinding = 'key' | 'key without credits' | 'key with a rate limit'

/** Options that set the keys, by the name of the finding. */
export const KEY_FLAGS: Readonly<Record<KeyFinding, string>> = {
  key: '--key or TOUCHSTONE_KEY',
  'key without credits': '--no-credits-key or TOUCHSTONE_KEY_NO_CREDITS',
  'key with a rate limit': '--limited-key or TOUCHSTONE_KEY_LIMITED',
}

/**
 * Describes why the suite could not test the target, and what the user can do.
 * @param name the name of the finding for the key that the run used
 */
export function describeObstacle(
  { code, params }: DocumentFinding,
  name: KeyFinding,
): { message: string; remedy: string } {
  const flag = KEY_FLAGS[name]
  switch (code) {
    case 'target-unreachable':
      return {
        message: `cannot reach ${String(params['url'])}: ${String(params['message'])}`,
        remedy: UNREACHABLE_REMEDIES[String(params['error'])] ?? 'check the scheme, http or https',
      }
    case 'target-down':
      return {
        message: `${String(params['url'])} is down: every request got a 5xx or no response`,
        remedy: 'check that the service behind the proxy is running',
      }
    case 'target-redirects':
      return {
        message: `${String(params['url'])} does not look like the API: it redirects every request`,
        remedy: 'check the base URL',
      }
    case 'target-is-not-the-api':
      return {
        message: `${String(params['url'])} does not look like the API: it returned HTML (${String(params['actualStatus'])})`,
        remedy: 'check that the address belongs to the API',
      }
    case 'target-rejects-everything':
      return {
        message: `${String(params['url'])} does not look like the API: every request got the same text (${String(params['actualStatus'])})`,
        remedy: 'check that the address belongs to the API',
      }
    case 'target-rejects-host':
      return {
        message: `${String(params['url'])} rejects this host name (${String(params['actualStatus'])})`,
        remedy: 'set --target to the address that clients use, and configure each proxy to forward the header Host',
      }
    case 'rate-limited':
      return {
        message: 'the target kept returning 429',
        remedy: `run again later, or set ${flag} to a key with a higher limit`,
      }
    case 'funded-key-rejected':
      return describeRejectedKey(params, flag)
    case 'funded-account-empty':
      return {
        message: `the account of the ${name} has too few credits (402 for a small chat)`,
        remedy: `set ${flag} to a key with credits`,
      }
    default:
      return {
        message: `the suite could not test the target (${code})`,
        remedy: `run ${formatCommand('conformance', '--target URL')}`,
      }
  }
}

function describeRejectedKey(params: DocumentFinding['params'], flag: string): { message: string; remedy: string } {
  const phrase = KEY_FORM_PHRASES[String(params['acceptedForm'])]
  const status = String(params['actualStatus'])
  if (phrase === undefined) {
    const message = `the target rejected the key with ${status} for models and chat`
    return { message, remedy: status === '403' ? adviseForbidden(flag) : `set ${flag} to a valid key` }
  }
  return {
    message: `the target rejected "Authorization: Bearer <API_KEY>" with ${status} for models and chat, but it accepts the key ${phrase}`,
    remedy: 'correct the service: section 5 requires this header',
  }
}

const KEY_FORM_PHRASES: Readonly<Record<string, string>> = {
  'lower-case-scheme': 'with "bearer" in lower case',
  'no-scheme': 'without the word Bearer',
  'other-header': 'in the header X-API-Key or api-key',
}

const START_SERVICE = 'start the service, or correct --target'

const UNREACHABLE_REMEDIES: Readonly<Record<string, string>> = {
  refused: START_SERVICE,
  dns: START_SERVICE,
  timeout: START_SERVICE,
  'not-tls': 'use http instead of https',
  'http-version': 'enable HTTP/1.1 on the server, or give the address of a proxy that accepts it',
  tls: 'check the scheme, or set --ca FILE or --insecure',
}

export function describeHint(url: string, { params }: DocumentFinding): DoctorFinding {
  const isPage = params['isPage'] === true
  return {
    name: 'target',
    state: 'error',
    message: `${url} does not look like the API: GET /v1/models returned ${isPage ? 'text/html' : String(params['modelsStatus'])}`,
    remedy: isPage ? 'check that the address belongs to the API' : 'check the base URL',
  }
}

/** Describes a target that responds to some requests and then to none. */
export function describeDeath(url: string, { params }: CheckEntry): DoctorFinding {
  return {
    name: 'target',
    state: 'error',
    message: `${url} stopped responding after the first requests (${String(params['error'] ?? params['actualStatus'])})`,
    remedy: 'look for the error in the log of the service, start it again if it has stopped, and run doctor again',
  }
}
