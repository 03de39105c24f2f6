import { startEmulator } from '../../emulator/start-emulator.ts'
import { runConformance } from '../run-conformance.ts'
import { OWN_EMULATOR } from '../targets/own-emulator.ts'
import type { Mutant } from './mutant.ts'
import { type CheckResult, resultOf } from './evaluate-mutant.ts'
import { startProxy } from './proxy.ts'

/** Seeds the requests of all runs alike, so that an observation changes for no other reason than the mutant. */
const NONCE_SEED = 'prove'

/**
 * Runs checks against an emulator of their own behind a mutant. An empty selection is the whole suite; without a mutant
 * the wire is left as it is.
 */
export async function runMutant(mutant: Mutant | undefined, only: readonly string[]): Promise<CheckResult[]> {
  // Completions as long as they may be: a bound that is not kept then shows.
  const { decisions, ...others } = mutant?.emulator ?? {}
  const emulator = await startEmulator({
    answerTokens: 'fill',
    decisions: { ...OWN_EMULATOR.decisions, ...decisions },
    ...others,
  })
  const proxy = await startProxy(emulator.url, mutant?.wire ?? {})
  try {
    const { funded, empty, limited, small } = emulator.keys
    const { document } = await runConformance({
      url: proxy.url,
      keys: { funded: mutant?.fundedKey ?? funded, noCredits: empty, limited, small },
      declarations: OWN_EMULATOR.declarations,
      burst: true,
      only,
      sdk: isAboutSdk(mutant),
      nonceSeed: NONCE_SEED,
    })
    return document.checks.map(resultOf)
  } finally {
    await proxy.close()
    await emulator.close()
  }
}

/** The SDK sees every fault that the wire shows: its checks are tried without a mutant, and with those meant for them. */
function isAboutSdk(mutant: Mutant | undefined): boolean {
  return mutant === undefined || Object.keys(mutant.kills).some((id) => id.startsWith('1/sdk-'))
}
