import { startEmulator } from '../../emulator/start-emulator.ts'
import { runConformance } from '../run-conformance.ts'
import { OWN_EMULATOR } from '../targets/own-emulator.ts'
import type { Defect } from './defect.ts'
import { type Finding, findingOf } from './finding.ts'
import { startProxy } from './proxy.ts'

/** Seeds the requests of all runs alike, so that an observation changes for no other reason than the defect. */
const NONCE_SEED = 'prove'

/**
 * Runs checks against an emulator of their own behind a defect. An empty selection is the whole suite; without a defect
 * the wire is left as it is.
 */
export async function judgeTarget(defect: Defect | undefined, only: readonly string[]): Promise<Finding[]> {
  // Answers as long as they may be: a bound that is not kept then shows.
  const { decisions, ...others } = defect?.emulator ?? {}
  const emulator = await startEmulator({
    answerTokens: 'fill',
    decisions: { ...OWN_EMULATOR.decisions, ...decisions },
    ...others,
  })
  const proxy = await startProxy(emulator.url, defect?.wire ?? {})
  try {
    const { funded, empty, limited, small } = emulator.keys
    const { document } = await runConformance({
      url: proxy.url,
      keys: { funded: defect?.fundedKey ?? funded, noCredits: empty, limited, small },
      declarations: OWN_EMULATOR.declarations,
      burst: true,
      only,
      sdk: isAboutSdk(defect),
      nonceSeed: NONCE_SEED,
    })
    return document.checks.map(findingOf)
  } finally {
    await proxy.close()
    await emulator.close()
  }
}

/** The SDK sees every fault that the wire shows: its checks are tried without a defect, and with those meant for them. */
function isAboutSdk(defect: Defect | undefined): boolean {
  return defect === undefined || Object.keys(defect.kills).some((id) => id.startsWith('1/sdk-'))
}
