import { startEmulator } from '../../../emulator/start-emulator.ts'
import type { CheckEntry } from '../../../reports/conformance-document.ts'
import { runConformance } from '../../run-conformance.ts'
import type { GatewayMutant } from './gateway-mutant.ts'
import { type GatewayOptions, startGateway } from './start-gateway.ts'

const CLIENT_KEY = 'sk-svc-client-0123456789abcdef'

const REQUEST_LOG = { entries: 10_000, bytes: 256 * 1024 * 1024 }

export type GatewayResults = ReadonlyMap<string, CheckEntry>

export async function runGateway(
  options: Omit<GatewayOptions, 'port' | 'upstreamKey'>,
  only: readonly string[] = ['gateway'],
): Promise<GatewayResults> {
  const emulator = await startEmulator({ requestLog: REQUEST_LOG })
  const gateway = await startGateway(emulator.url, { ...options, upstreamKey: emulator.keys.funded })
  try {
    const { document } = await runConformance({
      url: gateway.url,
      keys: { funded: CLIENT_KEY },
      upstream: emulator.url,
      only,
      nonceSeed: 'prove',
    })
    return new Map((document.gateway?.checks ?? []).map((check) => [check.id, check]))
  } finally {
    await gateway.close()
    await emulator.close()
  }
}

/** Differences between the results of a mutant and those that its table states. */
export interface GatewayShortfall {
  readonly missed: readonly string[]
  readonly alsoChanged: readonly string[]
}

/** Returns which checks detect a fault: they fail or warn, or observe another value than without it. */
export function compareWithBaseline(
  { kills, mayAffect = [] }: GatewayMutant,
  found: GatewayResults,
  baseline: GatewayResults,
): GatewayShortfall {
  const changed = [...found.values()].filter((check) => isChanged(check, baseline.get(check.id)))
  const detected = changed.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn' || verdict === 'observed')
  return {
    missed: kills.filter((id) => !detected.some((check) => check.id === id)).map((id) => describe(found.get(id), id)),
    alsoChanged: changed
      .filter(({ id }) => !kills.includes(id) && !mayAffect.includes(id))
      .map((check) => describe(check, check.id)),
  }
}

function isChanged({ verdict, value }: CheckEntry, before: CheckEntry | undefined): boolean {
  return verdict !== before?.verdict || JSON.stringify(value) !== JSON.stringify(before.value)
}

function describe(check: CheckEntry | undefined, id: string): string {
  return check === undefined ? `${id}: no result` : `${id}: ${check.verdict}: ${check.actual}`
}
