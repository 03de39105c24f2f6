import { startEmulator } from '../../emulator/start-emulator.ts'
import { runConformance } from '../run-conformance.ts'
import { EMBEDDED_EMULATOR, REVOKED_KEY } from '../targets/embedded-emulator.ts'
import type { Mutant } from '../mutation/mutant.ts'
import { AGENT_FIXTURES } from './agent-fixtures.ts'
import { CHECKS } from '../sections/checks.ts'
import type { CheckGroup } from '../engine/check.ts'
import { type BaselineExchange, BaselineTraffic } from './changed-traffic.ts'
import { type ComparedResult, selectComparedFields } from './evaluate-mutant.ts'
import { addStreamTiming } from '../mutation/change/stream-timing.ts'
import { startProxy } from './proxy.ts'

/** Seed of the nonces in all runs. Their requests are the same, so only the mutant can change an observation. */
const NONCE_SEED = 'prove'

/** Results of checks without a mutant, and the requests and responses that led to them. */
export interface Baseline {
  readonly results: readonly ComparedResult[]
  readonly traffic: readonly BaselineExchange[]
}

type Conditions = Pick<Mutant, 'hooks' | 'emulator' | 'fundedKey' | 'timeoutMs'>

interface Selection {
  /** IDs of the checks. An empty list selects the whole suite. */
  readonly only: readonly string[]
  includes(group: CheckGroup): boolean
}

/** Runs checks without a mutant. The proxy then changes only the timing of long streams. */
export async function runBaseline(only: readonly string[], signal: AbortSignal | undefined): Promise<Baseline> {
  const traffic = new BaselineTraffic()
  const results = await runChecks(
    { hooks: {} },
    { only, includes: () => true },
    {
      onExchange: (source, exchange) => traffic.add(source, exchange),
      ...(signal === undefined ? {} : { signal }),
    },
  )
  return { results, traffic: traffic.exchanges }
}

/** Runs checks against an emulator behind a proxy that applies the mutant, those of a group only if it lists one. */
export async function runMutant(mutant: Mutant, only: readonly string[]): Promise<readonly ComparedResult[]> {
  const includes = (group: CheckGroup): boolean =>
    CHECKS.some((check) => check.group === group && Object.hasOwn(mutant.kills, check.id))
  return runChecks(mutant, { only, includes }, {})
}

async function runChecks(
  { hooks, emulator: emulatorOptions, fundedKey, timeoutMs }: Conditions,
  { only, includes }: Selection,
  options: Pick<Parameters<typeof runConformance>[0], 'onExchange' | 'signal'>,
): Promise<readonly ComparedResult[]> {
  // All completions have the maximum length. Otherwise, checks could not detect that a mutant ignores a bound.
  const { options: behaviour, ...others } = emulatorOptions ?? {}
  const emulator = await startEmulator({
    answerTokens: 'fill',
    fixtures: AGENT_FIXTURES,
    options: { ...EMBEDDED_EMULATOR.options, ...behaviour },
    ...others,
  })
  const proxy = await startProxy(emulator.url, addStreamTiming(hooks))
  try {
    const { funded, noCredits, limited, small } = emulator.keys
    const { document } = await runConformance({
      url: proxy.url,
      keys: { funded: fundedKey ?? funded, noCredits, limited, small, revoked: REVOKED_KEY },
      declarations: EMBEDDED_EMULATOR.declarations,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      only,
      sdk: includes('sdk'),
      agents: includes('agents'),
      nonceSeed: NONCE_SEED,
      ...options,
    })
    return document.checks.map(selectComparedFields)
  } finally {
    await proxy.close()
    await emulator.close()
  }
}
