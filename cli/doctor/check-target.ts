import { type ConformanceOptions, runConformance } from '../../conformance/run-conformance.ts'
import type { CheckEntry, DocumentFinding } from '../../reports/conformance-document.ts'
import { findServiceHint } from '../../reports/remarks.ts'
import { type ConformanceValues, readConformanceOptions } from '../read-conformance-options.ts'
import { formatCommand } from '../format-command.ts'
import type { DoctorFinding } from './finding.ts'

type TargetValues = Pick<ConformanceValues, 'url' | 'model' | 'headers' | 'ca' | 'insecure' | KeyName>
type KeyName = 'keys.funded' | 'keys.noCredits' | 'keys.limited'

const RUN_VALUES = { timeoutMs: 10_000, maxSeconds: 60, concurrency: 2 } as const
const VALID = '5/valid-key-models'
const CHAT = '1/chat-offered'
/** `CHAT` also accepts a part of a result, such as the object of a different endpoint. */
const CONTENT = '2.3/message-content'
const WITHOUT_CREDITS = '5/no-credits-chat'

/**
 * Checks a target and its keys by running a few checks of the suite.
 * @returns an empty list if the user gave no target
 */
export async function checkTarget(values: TargetValues, signal: AbortSignal): Promise<DoctorFinding[]> {
  if (values.url === undefined) return []
  const target = await readConformanceOptions({ ...RUN_VALUES, ...values })
  const { limited, ...keys } = target.keys ?? {}
  const main = await runChecks({ ...target, keys, only: [VALID, CHAT, CONTENT, WITHOUT_CREDITS] }, signal)
  const isKeyRejected = main.obstacle?.code === 'funded-key-rejected'
  if (main.obstacle !== undefined && !isKeyRejected) {
    return [{ name: 'target', state: 'wrong', ...describeObstacle(main.obstacle, 'key') }]
  }
  // If a different service responds at the address, its responses prove nothing about a key.
  if (main.hint !== undefined) return [describeHint(main.url, main.hint)]
  const found: DoctorFinding[] = [{ name: 'target', state: 'ok', says: `${main.url} responds` }]
  found.push(keyFinding('key', main.suffixOf('funded'), main.obstacle, main.entryOf(VALID)))
  if (isKeyRejected) return found
  if (main.suffixOf('funded') !== undefined)
    found.push(chatFinding(main.chatModel, [main.entryOf(CHAT), main.entryOf(CONTENT)]))
  found.push(keyFinding('key without credits', main.suffixOf('noCredits'), undefined, main.entryOf(WITHOUT_CREDITS)))
  // Runs a single check, whose few requests stay below any usual rate limit.
  const slow =
    limited === undefined ? undefined : await runChecks({ ...target, keys: { funded: limited }, only: [VALID] }, signal)
  found.push(keyFinding('key with a rate limit', slow?.suffixOf('funded'), slow?.obstacle, slow?.entryOf(VALID)))
  return found
}

async function runChecks(options: ConformanceOptions, signal: AbortSignal) {
  const { document } = await runConformance({ ...options, budgets: [], signal })
  return {
    url: document.target.url,
    obstacle: document.target.obstacle,
    hint: findServiceHint(document),
    chatModel: document.target.models['chat'],
    /** Returns the masked key as documents show it, or undefined if the user did not give the key. */
    suffixOf: (role: string) => document.target.keys[role],
    entryOf: (id: string) => document.checks.find((check) => check.id === id),
  }
}

function chatFinding(model = 'no model', checks: readonly (CheckEntry | undefined)[]): DoctorFinding {
  const failed = checks.find((check) => check?.verdict !== 'pass')
  if (checks.every((check) => check?.verdict === 'pass')) {
    return { name: 'chat', state: 'ok', says: `${model} completes a chat` }
  }
  return {
    name: 'chat',
    state: 'wrong',
    says: `${model} does not complete a chat: ${failed === undefined ? 'not tried' : describeFailure(failed)}`,
    remedy: 'set --model to a model of the deployment that serves chat',
  }
}

function keyFinding(
  name: KeyFinding,
  suffix: string | undefined,
  obstacle: DocumentFinding | undefined,
  check: CheckEntry | undefined,
): DoctorFinding {
  if (suffix === undefined) {
    return {
      name,
      state: 'lacking',
      says: `not given. ${NEED[name]}`,
      remedy: `set ${FLAG_OF[name]}`,
    }
  }
  // A short key is masked as `…`, without any of its characters.
  const shown = suffix === '…' ? 'it' : `the key that ends in ${suffix.replace('…', '')}`
  if (obstacle !== undefined) return { name, state: 'wrong', ...describeObstacle(obstacle, name) }
  if (check?.verdict === 'pass') return { name, state: 'ok', says: `${shown} ${GOOD[name]}` }
  return {
    name,
    state: 'wrong',
    says: `${shown}: ${check === undefined ? 'not tested' : describeFailure(check)}`,
    remedy: `check ${FLAG_OF[name]}`,
  }
}

/** Describes why a check did not pass. Quotes the last error response, because its body often states the reason. */
function describeFailure({ actual, evidence = [] }: CheckEntry): string {
  const response = evidence.at(-1)?.response
  // A target must not control the terminal with control or invisible characters.
  const body = response?.body.replaceAll(/[\s\p{C}]+/gu, ' ').trim() ?? ''
  if (response === null || response === undefined || response.status < 400 || body === '') return actual
  const quoted = body.length > MAX_QUOTED_CHARACTERS ? `${body.slice(0, MAX_QUOTED_CHARACTERS)}…` : body
  return `${actual.replace(/\.$/, '')}: ${quoted}`
}

const MAX_QUOTED_CHARACTERS = 200

type KeyFinding = 'key' | 'key without credits' | 'key with a rate limit'

const FLAG_OF: Readonly<Record<KeyFinding, string>> = {
  key: '--key or TOUCHSTONE_KEY',
  'key without credits': '--no-credits-key or TOUCHSTONE_KEY_NO_CREDITS',
  'key with a rate limit': '--limited-key or TOUCHSTONE_KEY_LIMITED',
}

const NEED: Readonly<Record<KeyFinding, string>> = {
  key: 'Every request needs this key',
  'key without credits': 'The checks of status 402 need this key',
  'key with a rate limit': 'The checks of status 429 need this key',
}

const GOOD: Readonly<Record<KeyFinding, string>> = {
  key: 'works',
  'key without credits': 'is rejected with 402, as expected',
  'key with a rate limit': 'works. doctor does not test its rate limit',
}

/**
 * Describes why the suite could not test the target, and what the user can do.
 * @param name the name of the finding for the key that the run used
 */
function describeObstacle({ code, params }: DocumentFinding, name: KeyFinding): { says: string; remedy: string } {
  const flag = FLAG_OF[name]
  switch (code) {
    case 'target-unreachable':
      return {
        says: `cannot reach ${String(params['url'])}: ${String(params['message'])}`,
        remedy: UNREACHABLE_REMEDIES[String(params['error'])] ?? 'check the scheme, http or https',
      }
    case 'target-down':
      return {
        says: `${String(params['url'])} is down: every request got a 5xx or no response`,
        remedy: 'check that the service behind the proxy is running',
      }
    case 'target-redirects':
      return {
        says: `${String(params['url'])} does not look like the API: it redirects every request`,
        remedy: 'check the base URL',
      }
    case 'target-is-not-the-api':
      return {
        says: `${String(params['url'])} does not look like the API: it returned HTML (${String(params['actualStatus'])})`,
        remedy: 'check that the address belongs to the API',
      }
    case 'rate-limited':
      return {
        says: 'the target kept returning 429',
        remedy: `run again later, or set ${flag} to a key with a higher limit`,
      }
    case 'funded-key-rejected':
      return { says: 'the target rejected the key with 401 for models and chat', remedy: `set ${flag} to a valid key` }
    case 'funded-account-empty':
      return {
        says: `the account of the ${name} has too few credits (402 for a small chat)`,
        remedy: `set ${flag} to a key with credits`,
      }
    default:
      return {
        says: `the suite could not test the target (${code})`,
        remedy: `run ${formatCommand('conformance', '--target URL')}`,
      }
  }
}

const START_SERVICE = 'start the service, or correct --target'

const UNREACHABLE_REMEDIES: Readonly<Record<string, string>> = {
  refused: START_SERVICE,
  dns: START_SERVICE,
  timeout: START_SERVICE,
  tls: 'check the scheme, or set --ca FILE or --insecure',
}

function describeHint(url: string, { params }: DocumentFinding): DoctorFinding {
  const isPage = params['isPage'] === true
  return {
    name: 'target',
    state: 'wrong',
    says: `${url} does not look like the API: GET /v1/models returned ${isPage ? 'text/html' : String(params['modelsStatus'])}`,
    remedy: isPage ? 'check that the address belongs to the API' : 'check the base URL',
  }
}
