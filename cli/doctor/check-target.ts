import { HIDDEN } from '../../common/secrets/fingerprint.ts'
import { type ConformanceOptions, runConformance } from '../../conformance/run-conformance.ts'
import type { CheckEntry, DocumentFinding } from '../../reports/conformance-document.ts'
import { findServiceHint } from '../../reports/remarks.ts'
import { type ConformanceValues, readConformanceOptions } from '../read-conformance-options.ts'
import { describeDeath, describeHint, describeObstacle, KEY_FLAGS, type KeyFinding } from './describe-obstacle.ts'
import { describeResponseClass, isKeyRejected, isServed } from './describe-response-class.ts'
import type { DoctorFinding } from './finding.ts'

type TargetValues = Pick<ConformanceValues, 'url' | 'model' | 'headers' | 'ca' | 'insecure' | KeyName>
type KeyName = 'keys.funded' | 'keys.noCredits' | 'keys.limited'

const RUN_VALUES = { timeoutMs: 10_000, maxSeconds: 60, concurrency: 2 } as const
const MODELS = '5/valid-key-models'
const CHAT = '1/chat-offered'
/** `CHAT` also accepts a part of a result, such as the object of a different endpoint. */
const CONTENT = '2.3/message-content'
const UNKNOWN_KEY = { models: '5/unknown-key-models', chat: '5/unknown-key-chat' } as const
const WITHOUT_CREDITS = '5/no-credits-chat'

/**
 * Checks a target and its keys by running a few checks of the suite.
 * Without a target, reports only that the given keys are not tested.
 * @param generalKeys see `listGeneralKeys`
 */
export async function checkTarget(
  values: TargetValues,
  signal: AbortSignal,
  generalKeys: readonly string[],
): Promise<DoctorFinding[]> {
  if (values.url === undefined) {
    const hasKey = (['keys.funded', 'keys.noCredits', 'keys.limited'] as const).some((key) => values[key] !== undefined)
    if (!hasKey) return []
    const message = 'not tested, because no target was given'
    return [{ name: 'key', state: 'missing', message, remedy: 'set --target or TOUCHSTONE_TARGET' }]
  }
  const target = await readConformanceOptions({ ...RUN_VALUES, ...values }, generalKeys)
  const { limited, ...keys } = target.keys ?? {}
  const only = [MODELS, CHAT, CONTENT, UNKNOWN_KEY.models, UNKNOWN_KEY.chat, WITHOUT_CREDITS]
  const main = await runChecks({ ...target, keys, only }, signal)
  const isKeyRejected = main.obstacle?.code === 'funded-key-rejected'
  if (main.obstacle !== undefined && !isKeyRejected) {
    return [{ name: 'target', state: 'error', ...describeObstacle(main.obstacle, 'key') }]
  }
  // If a different service responds at the address, its responses prove nothing about a key.
  if (main.hint !== undefined) return [describeHint(main.url, main.hint)]
  if (main.death !== undefined) return [describeDeath(main.url, main.death)]
  const found: DoctorFinding[] = [{ name: 'target', state: 'ok', message: `${main.url} responds` }]
  if (main.fingerprintOf('funded') === undefined) found.push(missingKeyFinding('key'))
  else if (main.obstacle !== undefined)
    return [...found, { name: 'key', state: 'error', ...describeObstacle(main.obstacle, 'key') }]
  else found.push(fundedKeyFinding(main), ...modelsFindings(main), chatFinding(main))
  // A target file can declare that the target has no credits or no rate limit. No check then needs the key.
  const { without = [] } = target
  if (!without.includes('credits')) found.push(creditsKeyFinding(main))
  if (without.includes('rate-limit')) return found
  // Runs a single check, whose few requests stay below any usual rate limit.
  const slow =
    limited === undefined
      ? undefined
      : await runChecks({ ...target, keys: { funded: limited }, only: [MODELS] }, signal)
  found.push(limitedKeyFinding(slow))
  return found
}

interface DoctorRun {
  readonly url: string
  readonly obstacle: DocumentFinding | undefined
  readonly hint: DocumentFinding | undefined
  /** A check that did not run because the target stopped responding. */
  readonly death: CheckEntry | undefined
  readonly chatModel: string | undefined
  /** Returns the fingerprint of a key as documents show it, or undefined if the user did not give the key. */
  fingerprintOf(role: string): string | undefined
  entryOf(id: string): CheckEntry | undefined
}

async function runChecks(options: ConformanceOptions, signal: AbortSignal): Promise<DoctorRun> {
  const { document } = await runConformance({ ...options, budgets: [], signal })
  return {
    url: document.target.url,
    obstacle: document.target.obstacle,
    hint: findServiceHint(document),
    death: document.checks.find(({ code }) => code === 'target-died'),
    chatModel: document.target.models['chat'],
    fingerprintOf: (role) => document.target.keys[role],
    entryOf: (id) => document.checks.find((check) => check.id === id),
  }
}

/**
 * Evaluates the key of every request. A served request proves that the key works only if the target rejects an unknown
 * key.
 */
function fundedKeyFinding(run: DoctorRun): DoctorFinding {
  const name = 'key'
  const operations = [
    {
      entry: run.entryOf(MODELS),
      place: 'GET /v1/models',
      servesAnyKey: servesUnknownKey(run.entryOf(UNKNOWN_KEY.models)),
    },
    { entry: run.entryOf(CHAT), place: 'chat', servesAnyKey: servesUnknownKey(run.entryOf(UNKNOWN_KEY.chat)) },
  ].filter(({ entry }) => entry !== undefined && !(entry === run.entryOf(MODELS) && lacksModelList(run)))
  const rejection = operations.find(({ entry }) => isKeyRejected(entry))?.entry
  if (rejection !== undefined) return { name, state: 'error', ...describeResponseClass(rejection, KEY_FLAGS[name]) }
  const served = operations.filter(({ entry }) => isServed(entry))
  const key = describeKey(run, 'funded')
  if (served.some(({ servesAnyKey }) => !servesAnyKey)) return { name, state: 'ok', message: `${key} works` }
  if (served.length > 0 && served.length === operations.length) {
    return {
      name,
      state: 'warning',
      message:
        'the target does not check keys: it also serves an unknown key. A run reports this as failures of section 5',
    }
  }
  const seen =
    served.length === 0
      ? 'the target served no request with it'
      : `the target also serves an unknown key for ${served.map(({ place }) => place).join(' and ')}, and served no other request`
  const missing = operations.filter(({ entry }) => !isServed(entry)).map(({ place }) => place)
  return {
    name,
    state: 'error',
    message: `${key} is not tested, because ${seen}`,
    remedy: `run doctor again when the target serves ${missing.join(' or ')}`,
  }
}

function servesUnknownKey(entry: CheckEntry | undefined): boolean {
  const status = Number(entry?.params['actualStatus'])
  return entry?.verdict === 'fail' && status >= 200 && status < 300
}

/** Reports the list of models if the target does not serve it. */
function modelsFindings(run: DoctorRun): DoctorFinding[] {
  const entry = run.entryOf(MODELS)
  if (entry === undefined || isServed(entry)) return []
  const { message, remedy } = describeResponseClass(entry, KEY_FLAGS.key)
  const isMissing = lacksModelList(run)
  return [
    {
      name: 'models',
      state: 'error',
      message,
      remedy: isMissing ? 'if the target does not list its models, run the suite with --without models' : remedy,
    },
  ]
}

/** Returns whether the target serves chat, but has no list of models. The base URL is then correct. */
function lacksModelList(run: DoctorRun): boolean {
  return run.entryOf(MODELS)?.params['actualStatus'] === 404 && isServed(run.entryOf(CHAT))
}

function chatFinding(run: DoctorRun): DoctorFinding {
  const { chatModel: model = 'the target' } = run
  const failed = [CHAT, CONTENT].map(run.entryOf).find((entry) => entry?.verdict !== 'pass')
  if (failed === undefined) {
    const isTested = run.entryOf(CHAT) !== undefined
    return isTested
      ? { name: 'chat', state: 'ok', message: `${model} completes a chat` }
      : { name: 'chat', state: 'missing', message: 'not tested' }
  }
  const { message, remedy } = describeResponseClass(failed, KEY_FLAGS.key)
  return { name: 'chat', state: 'error', message: `${model} completes no chat: ${message}`, remedy }
}

function creditsKeyFinding(run: DoctorRun): DoctorFinding {
  const name = 'key without credits'
  const entry = run.entryOf(WITHOUT_CREDITS)
  if (run.fingerprintOf('no-credits') === undefined) return missingKeyFinding(name)
  const key = describeKey(run, 'no-credits')
  if (entry?.verdict === 'pass') return { name, state: 'ok', message: `${key} is rejected with 402, as expected` }
  if (entry?.verdict === 'fail') {
    const { message } = describeResponseClass(entry, KEY_FLAGS[name])
    return {
      name,
      state: 'error',
      message: `${key}: expected 402, but ${message}`,
      remedy: `check that ${KEY_FLAGS[name]} belongs to an account without credits`,
    }
  }
  return {
    name,
    state: 'error',
    message: `${key} is not tested: ${entry === undefined ? 'the check did not run' : describeResponseClass(entry, KEY_FLAGS[name]).message}`,
    remedy: 'run doctor again when the target completes a chat with the key of --key',
  }
}

function limitedKeyFinding(run: DoctorRun | undefined): DoctorFinding {
  const name = 'key with a rate limit'
  if (run?.fingerprintOf('funded') === undefined) return missingKeyFinding(name)
  if (run.obstacle !== undefined) return { name, state: 'error', ...describeObstacle(run.obstacle, name) }
  const entry = run.entryOf(MODELS)
  if (isServed(entry))
    return { name, state: 'ok', message: `${describeKey(run, 'funded')} works. doctor does not test its rate limit` }
  if (entry === undefined) return { name, state: 'error', message: 'not tested' }
  const { message, remedy } = describeResponseClass(entry, KEY_FLAGS[name])
  return { name, state: 'error', message: `${describeKey(run, 'funded')}: ${message}`, remedy }
}

function describeKey(run: DoctorRun, role: string): string {
  const fingerprint = run.fingerprintOf(role) ?? HIDDEN
  return fingerprint === HIDDEN ? 'it' : `the key ${fingerprint}`
}

const NEED: Readonly<Record<KeyFinding, string>> = {
  key: 'Every request needs this key',
  'key without credits': 'The checks of status 402 need this key',
  'key with a rate limit': 'The checks of status 429 need this key',
}

function missingKeyFinding(name: KeyFinding): DoctorFinding {
  return { name, state: 'missing', message: `not given. ${NEED[name]}`, remedy: `set ${KEY_FLAGS[name]}` }
}
