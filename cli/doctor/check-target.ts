import { HIDDEN } from '../../common/secrets/fingerprint.ts'
import type { CheckEntry } from '../../reports/conformance-document.ts'
import { type ConformanceValues, readConformanceOptions } from '../read-conformance-options.ts'
import { describeResponseClass, getLastStatus, isKeyRejected, isServed } from './describe-response-class.ts'
import { replaceCommandNames } from '../format-command.ts'
import { describeOperations, lacksChat, lacksModelList } from './describe-operations.ts'
import {
  CHAT,
  type DoctorRun,
  MODELS,
  offerOf,
  OTHER_OPERATIONS,
  runChecks,
  runMainChecks,
  UNKNOWN_KEY,
  unknownKeyOf,
  WITHOUT_CREDITS,
} from './doctor-run.ts'
import { createProblemFinding, type DoctorFinding, KEY_FLAGS, type KeyFinding } from './finding.ts'

type TargetValues = Pick<ConformanceValues, 'url' | 'model' | 'without' | 'headers' | 'ca' | 'insecure' | KeyName>
type KeyName = 'keys.funded' | 'keys.noCredits' | 'keys.limited'

const RUN_VALUES = { timeoutMs: 10_000, maxSeconds: 60, concurrency: 2 } as const
/** Lets the checks accept requests without a key, because the user gave none. */
const ASSUMED_WITHOUT_KEYS = { value: 'none', why: 'no key was given' } as const

/**
 * Checks a target and its keys by running a few checks of the suite. Without a key, sends requests without one. Without
 * a target, reports only that the given keys are not tested.
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
  const { without = [] } = target
  const hasKey = keys.funded !== undefined
  const differences = hasKey ? target.differences : { authentication: ASSUMED_WITHOUT_KEYS, ...target.differences }
  const options = { ...target, keys, ...(differences === undefined ? {} : { differences }) }
  const main = await runMainChecks(options, hasKey, signal)
  const isKeyRejected = main.obstacle?.code === (hasKey ? 'funded-key-rejected' : 'key-missing')
  const { problem = '' } = main
  if (main.obstacle !== undefined && !isKeyRejected) return [createProblemFinding('target', problem)]
  // If a different service responds at the address, its responses prove nothing about a key.
  if (main.hint !== undefined)
    return [createProblemFinding('target', `${main.url} does not look like the API: ${main.hint}`)]
  if (main.death !== undefined) return [describeDeath(main.url, main.death)]
  const found: DoctorFinding[] = [{ name: 'target', state: 'ok', message: `${main.url} responds` }]
  const isDeclared = target.differences?.authentication !== undefined || without.includes('authentication')
  const key = hasKey ? undefined : evaluateWithoutKey(main, isDeclared)
  if (key?.state === 'missing') found.push(key)
  else if (main.obstacle !== undefined) return [...found, createProblemFinding('key', problem)]
  else found.push(key ?? fundedKeyFinding(main), ...describeOperations(main))
  if (key !== undefined && key.state !== 'missing') return found
  // A target file can declare that the target has no credits or no rate limit. No check then needs the key.
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

/**
 * Evaluates the key of every request. A served request proves that the key works only if the target rejects an unknown
 * key.
 */
function fundedKeyFinding(run: DoctorRun): DoctorFinding {
  const name = 'key'
  const operations = [
    {
      entry: lacksModelList(run) ? undefined : run.entryOf(MODELS),
      place: 'GET /v1/models',
      servesAnyKey: servesUnknownKey(run.entryOf(UNKNOWN_KEY.models)),
    },
    {
      entry: lacksChat(run) ? undefined : run.entryOf(CHAT),
      place: 'chat',
      servesAnyKey: servesUnknownKey(run.entryOf(UNKNOWN_KEY.chat)),
    },
    ...OTHER_OPERATIONS.map((operation) => ({
      entry: run.entryOf(offerOf(operation)),
      place: operation,
      servesAnyKey: servesUnknownKey(run.entryOf(unknownKeyOf(operation))),
    })).filter(({ entry }) => isServed(entry) || isKeyRejected(entry)),
  ].filter(({ entry }) => entry !== undefined)
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
    remedy: `run doctor again when the target serves ${missing.join(' or ') || 'a request'}`,
  }
}

function servesUnknownKey(entry: CheckEntry | undefined): boolean {
  const status = Number(entry?.params['actualStatus'])
  return entry?.verdict === 'fail' && status >= 200 && status < 300
}

/**
 * Evaluates a run without a key: whether the target serves requests without one. The state is `missing` if it rejects
 * them.
 */
function evaluateWithoutKey(run: DoctorRun, isDeclared: boolean): DoctorFinding {
  const name = 'key'
  const entries = [MODELS, CHAT, ...OTHER_OPERATIONS.map(offerOf)].map(run.entryOf)
  const status =
    run.obstacle?.params['actualStatus'] ?? entries.map(getLastStatus).find((one) => one === 401 || one === 403)
  if (status !== undefined) {
    const message = `not given, and the target rejects requests without a key (${String(status)}). ${NEED.key}`
    return { name, state: 'missing', message, remedy: `set ${KEY_FLAGS.key}` }
  }
  // A list of models can be public although other requests need a key.
  if (entries.slice(1).some(isServed)) {
    const advice = isDeclared ? '' : '. Use --without authentication, or a target file written by touchstone init'
    return {
      name,
      state: 'ok',
      message: `the target has no keys: it serves requests without one${replaceCommandNames(advice)}`,
    }
  }
  return {
    name,
    state: 'error',
    message: 'not given, and the target served no request without a key',
    remedy: `set ${KEY_FLAGS.key}, or run doctor again when the target serves requests without a key`,
  }
}

function creditsKeyFinding(run: DoctorRun): DoctorFinding {
  const name = 'key without credits'
  const entry = run.entryOf(WITHOUT_CREDITS)
  if (run.fingerprintOf('no-credits') === undefined) return missingKeyFinding(name)
  const key = describeKey(run, 'no-credits')
  if (entry?.verdict === 'pass') return { name, state: 'ok', message: `${key} is rejected with 402, as expected` }
  if (entry?.verdict === 'declared') return { name, state: 'ok', message: `${key} is rejected as declared` }
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
  if (run.obstacle !== undefined) {
    const { actualStatus = run.obstacle.code } = run.obstacle.params
    const message = `the target does not serve requests with it (${String(actualStatus)})`
    return { name, state: 'error', message, remedy: `set ${KEY_FLAGS[name]} to a valid key of an account with credits` }
  }
  const entry = run.entryOf(MODELS)
  if (isServed(entry))
    return { name, state: 'ok', message: `${describeKey(run, 'funded')} works. doctor does not test its rate limit` }
  if (entry === undefined) return { name, state: 'error', message: 'not tested' }
  const { message, remedy } = describeResponseClass(entry, KEY_FLAGS[name])
  return { name, state: 'error', message: `${describeKey(run, 'funded')}: ${message}`, remedy }
}

/** Describes a target that responds to some requests and then to none. */
function describeDeath(url: string, { params }: CheckEntry): DoctorFinding {
  const message = `${url} stopped responding after the first requests (${String(params['error'] ?? params['actualStatus'])})`
  const remedy = 'look for the error in the log of the service, start it again if it has stopped, and run doctor again'
  return { name: 'target', state: 'error', message, remedy }
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
