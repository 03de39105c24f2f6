import { startEmulator } from '../../emulator/start-emulator.ts'
import { runConformance } from '../run-conformance.ts'
import { EMBEDDED_EMULATOR } from '../targets/embedded-emulator.ts'
import type { Mutant } from './mutant.ts'
import { AGENT_FIXTURES } from './agent-fixtures.ts'
import { CHECKS } from '../checks/all.ts'
import type { CheckGroup } from '../engine/check.ts'
import { type ComparedResult, selectComparedFields } from './evaluate-mutant.ts'
import { addStreamTiming } from './change/stream-timing.ts'
import { startProxy } from './proxy.ts'

/**
 * Seed of the nonces in all runs. Because the requests of all runs are the same, only the mutant can change an
 * observation.
 */
const NONCE_SEED = 'prove'

/**
 * Runs checks against an emulator behind a proxy that applies the mutant. If `only` is empty, runs the whole suite.
 * Without a mutant, the proxy changes only the timing of long streams.
 */
export async function runMutant(mutant: Mutant | undefined, only: readonly string[]): Promise<ComparedResult[]> {
  // All completions have the maximum length. Otherwise, checks could not detect that a mutant ignores a bound.
  const { decisions, ...others } = mutant?.emulator ?? {}
  const emulator = await startEmulator({
    answerTokens: 'fill',
    fixtures: AGENT_FIXTURES,
    decisions: { ...EMBEDDED_EMULATOR.decisions, ...decisions },
    ...others,
  })
  const proxy = await startProxy(emulator.url, addStreamTiming(mutant?.hooks ?? {}))
  try {
    const { funded, empty, limited, small } = emulator.keys
    const { document } = await runConformance({
      url: proxy.url,
      keys: { funded: mutant?.fundedKey ?? funded, noCredits: empty, limited, small },
      declarations: EMBEDDED_EMULATOR.declarations,
      burst: true,
      ...(mutant?.timeoutMs === undefined ? {} : { timeoutMs: mutant.timeoutMs }),
      only,
      sdk: needsGroup(mutant, 'sdk'),
      agents: needsGroup(mutant, 'agents'),
      nonceSeed: NONCE_SEED,
    })
    return document.checks.map(selectComparedFields)
  } finally {
    await proxy.close()
    await emulator.close()
  }
}

/**
 * Returns whether a run includes a group of checks. It does if it has no mutant, or if its mutant lists a check of the
 * group. For other mutants the group is not needed, because checks outside it find the same deviations.
 */
function needsGroup(mutant: Mutant | undefined, group: CheckGroup): boolean {
  return mutant === undefined || CHECKS.some((check) => check.group === group && Object.hasOwn(mutant.kills, check.id))
}
