import { toJsonObject } from '../../common/json-object.ts'
import { tryToParseJson } from '../../common/parse-json.ts'
import type { CheckEntry, ExchangeEntry } from '../../reports/conformance-document.ts'
import { quoteBody } from '../messages/describe-evidence.ts'
import { formatCommand } from '../format-command.ts'

interface Description {
  readonly message: string
  readonly remedy: string
}

/** Returns whether the check proves that the target served its request. */
export function isServed(entry: CheckEntry | undefined): boolean {
  return entry?.verdict === 'pass'
}

/** Statuses that concern the key or its account, rather than the request or the service. */
const KEY_STATUSES: readonly number[] = [401, 402, 403]

/** Returns the status of the last response of a check. Returns 0 if there is none. */
export function getLastStatus(entry: CheckEntry | undefined): number {
  return entry?.evidence?.at(-1)?.response?.status ?? 0
}

/** Returns whether the last response of a check rejects the key. */
export function isKeyRejected(entry: CheckEntry | undefined): boolean {
  return KEY_STATUSES.includes(getLastStatus(entry))
}

/** Statuses that servers send for an unknown path, or for a POST to a path that does not accept it. */
const UNKNOWN_PATH_STATUSES: readonly number[] = [404, 405, 501]

/** Returns whether the last response of a check shows that the target may not know the path. */
export function isUnknownPath(entry: CheckEntry | undefined): boolean {
  return UNKNOWN_PATH_STATUSES.includes(getLastStatus(entry))
}

/**
 * Describes the last response of a check that did not pass, and what the user can do about it. The remedy depends on
 * the class of the response: only 401, 402 and 403 concern the key.
 * @param flag options that set the key of the request
 */
export function describeResponseClass(entry: CheckEntry, flag: string): Description {
  const exchange = entry.evidence?.at(-1)
  if (exchange === undefined)
    return { message: entry.actual, remedy: `run ${formatCommand('conformance', '--target URL')}` }
  const { response } = exchange
  const place = describePlace(exchange)
  if (response === null || response.status === 0) {
    return {
      message: `${place} got no complete response within the time that doctor waits`,
      remedy: `check whether the service is stuck. If it is slow, run ${formatCommand('conformance', '--target URL --timeout-ms N')}`,
    }
  }
  const { status, body } = response
  const quoted = quoteBody(body)
  const shown = quoted === '' ? '' : `: ${quoted}`
  const seen = `${place} returned ${status}`
  if (status >= 200 && status < 300) return describeSuccess(`${seen}`, quoted, entry)
  const rejected = PARAMETER_STATUSES.includes(status) ? findRejectedParameter(exchange.request.body, body) : undefined
  if (rejected !== undefined) {
    const { name, value } = rejected
    const remedy = name === 'model' ? ADVICE.model : 'allow this parameter in the server: the specification permits it'
    return { message: `the server rejects ${name}${value} (${seen})${shown}`, remedy }
  }
  return { message: `${seen}${shown}`, remedy: adviseStatus(status, flag, exchange) }
}

/** Statuses with which servers reject a parameter of a request. */
const PARAMETER_STATUSES: readonly number[] = [400, 422]

/** Maximum length of the value of a rejected parameter that a message contains. */
const MAX_VALUE_CHARACTERS = 40

/**
 * Finds the parameter of a JSON request that an error response rejects: the parameter that a field of the body names
 * (`param`, or `loc` of FastAPI), or that the text contains.
 * @returns the name, and the value after a space, which is empty for an object and for a long value
 */
function findRejectedParameter(
  request: string,
  response: string,
): { readonly name: string; readonly value: string } | undefined {
  const fields = Object.entries(toJsonObject(tryToParseJson(request)))
  const [, named = ''] = /"(?:param|loc)"\s*:\s*(?:\[\s*(?:"body"\s*,\s*)?)?"([\w-]+)/.exec(response) ?? []
  const found = fields.find(([name]) => name === named) ?? fields.find(([name]) => containsName(response, name))
  if (found === undefined) return undefined
  const [name, value] = found
  const text = JSON.stringify(value)
  const isShown = typeof value !== 'object' && text.length <= MAX_VALUE_CHARACTERS
  return { name, value: isShown ? ` ${text}` : '' }
}

/** Returns whether a text contains the name of a parameter. A word such as `messages` counts only in quotes. */
function containsName(text: string, name: string): boolean {
  const pattern = name.includes('_') ? String.raw`\b${name}\b` : `["'\`]${name}["'\`](?!\\s*:)`
  return new RegExp(pattern).test(text.replaceAll('\\', ''))
}

function describePlace({ request }: ExchangeEntry): string {
  return `${request.method} ${new URL(request.url).pathname}`
}

function describeSuccess(seen: string, quoted: string, entry: CheckEntry): Description {
  const remedy = 'check that the address belongs to the API'
  if (quoted === '') return { message: `${seen} without a body`, remedy }
  if (tryToParseJson(entry.evidence?.at(-1)?.response?.body ?? '') === undefined)
    return { message: `${seen}, but the body is not JSON: ${quoted}`, remedy }
  return entry.code === 'no-evidence' || entry.code === 'request-not-served'
    ? { message: `${seen}, but the body contains no part of a result of this operation: ${quoted}`, remedy }
    : {
        message: `${seen}, but ${entry.actual}`,
        remedy: 'run the suite, which shows what differs from the specification',
      }
}

/** Returns what the user can do about an error status. */
function adviseStatus(status: number, flag: string, { request }: ExchangeEntry): string {
  const isChat = request.method === 'POST'
  if (status === 401) return `check ${flag}`
  if (status === 402) return `set ${flag} to a key with credits`
  if (status === 403) return `check ${flag} and its permissions, and ${ADVICE.header}`
  if (status === 404) return isChat ? `${ADVICE.model}, and check that it offers this path` : 'check the base URL'
  if (status === 429) return `run again later, or set ${flag} to a key with a higher limit`
  if (status >= 500) return 'look for the error in the log of the service'
  if (status >= 300 && status < 400) return 'check the base URL, because the suite does not follow redirects'
  return isChat ? `${ADVICE.model}, and check ${ADVICE.header}` : `check ${ADVICE.header}`
}

const ADVICE = {
  model: 'set --model to a model of the deployment that serves chat',
  header: 'whether a gateway needs a header (--header)',
} as const
