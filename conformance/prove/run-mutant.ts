import { startEmulator } from '../../emulator/start-emulator.ts'
import { runConformance } from '../run-conformance.ts'
import { EMBEDDED_EMULATOR } from '../targets/embedded-emulator.ts'
import type { Mutant } from './mutant.ts'
import { type CheckResult, toCheckResult } from './evaluate-mutant.ts'
import { inRealTime } from './change/pace.ts'
import { startProxy } from './proxy.ts'

/** The same seed for all runs, so that only the mutant can change an observation. */
const NONCE_SEED = 'prove'

/**
 * Runs checks against a separate emulator behind a mutant. An empty selection is the whole suite; without a mutant,
 * requests and responses are unchanged.
 */
export async function runMutant(mutant: Mutant | undefined, only: readonly string[]): Promise<CheckResult[]> {
  // Completions of maximum length reveal a bound that is not applied.
  const { decisions, ...others } = mutant?.emulator ?? {}
  const emulator = await startEmulator({
    answerTokens: 'fill',
    decisions: { ...EMBEDDED_EMULATOR.decisions, ...decisions },
    ...others,
  })
  const proxy = await startProxy(emulator.url, inRealTime(mutant?.wire ?? {}))
  try {
    const { funded, empty, limited, small } = emulator.keys
    const { document } = await runConformance({
      url: proxy.url,
      keys: { funded: mutant?.fundedKey ?? funded, noCredits: empty, limited, small },
      declarations: EMBEDDED_EMULATOR.declarations,
      burst: true,
      only,
      sdk: isAboutSdk(mutant),
      nonceSeed: NONCE_SEED,
    })
    return document.checks.map(toCheckResult)
  } finally {
    await proxy.close()
    await emulator.close()
  }
}

/**
 * SDK checks find every deviation that other checks find, so they run only without a mutant and with mutants that name
 * them.
 */
function isAboutSdk(mutant: Mutant | undefined): boolean {
  return mutant === undefined || Object.keys(mutant.kills).some((id) => id.startsWith('1/sdk-'))
}
