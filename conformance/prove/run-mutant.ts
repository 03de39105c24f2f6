import { startEmulator } from '../../emulator/start-emulator.ts'
import { runConformance } from '../run-conformance.ts'
import { EMBEDDED_EMULATOR } from '../targets/embedded-emulator.ts'
import type { Mutant } from './mutant.ts'
import { type CheckResult, toCheckResult } from './evaluate-mutant.ts'
import { withTimedStreams } from './change/stream-timing.ts'
import { startProxy } from './proxy.ts'

/** Seed of all runs. With equal nonces, only the mutant can change an observation. */
const NONCE_SEED = 'prove'

/**
 * Runs checks against an emulator behind a proxy that applies the mutant. An empty `only` runs the whole suite. Without
 * a mutant, the proxy changes nothing except the timing of long streams.
 */
export async function runMutant(mutant: Mutant | undefined, only: readonly string[]): Promise<CheckResult[]> {
  // With completions of maximum length, checks notice a bound that is not applied.
  const { decisions, ...others } = mutant?.emulator ?? {}
  const emulator = await startEmulator({
    answerTokens: 'fill',
    decisions: { ...EMBEDDED_EMULATOR.decisions, ...decisions },
    ...others,
  })
  const proxy = await startProxy(emulator.url, withTimedStreams(mutant?.hooks ?? {}))
  try {
    const { funded, empty, limited, small } = emulator.keys
    const { document } = await runConformance({
      url: proxy.url,
      keys: { funded: mutant?.fundedKey ?? funded, noCredits: empty, limited, small },
      declarations: EMBEDDED_EMULATOR.declarations,
      burst: true,
      only,
      sdk: needsSdk(mutant),
      nonceSeed: NONCE_SEED,
    })
    return document.checks.map(toCheckResult)
  } finally {
    await proxy.close()
    await emulator.close()
  }
}

/**
 * Returns whether the run includes SDK checks. They run only without a mutant and with mutants that list them, because
 * other checks find the same deviations.
 */
function needsSdk(mutant: Mutant | undefined): boolean {
  return mutant === undefined || Object.keys(mutant.kills).some((id) => id.startsWith('1/sdk-'))
}
