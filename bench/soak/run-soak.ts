import { Agent } from 'node:http'
import { MODELS, UNITS_PER_CREDIT } from '../../contract/facts.ts'
import { round } from '../statistics.ts'
import { readLedger } from '../emulator-control.ts'
import { fitLine } from './least-squares.ts'
import { Load } from './load.ts'
import { startSoakServer, type SoakServer } from './server.ts'
import type { Soaked } from './soaked.ts'

/** How long and how hard. */
export interface SoakOptions {
  readonly seconds: number
  /** Clients that begin each second; some send two requests. */
  readonly clientsPerS: number
  readonly seed: number
  /** Clients before the pace is kept, as fast as they are served: 50,000 fill what the emulator keeps of requests, which is bounded. */
  readonly fillClients: number
  /** Told of each sample. */
  onProgress?(text: string): void
}

/** More than this under way: the emulator is too slow for the load, and others wait. */
const MOST_AT_ONCE = 500
/** So that code is compiled before it is looked at what is in use. */
const WARM_UP_CLIENTS = 1000
const MOST_SAMPLES = 360
const LEAST_SAMPLE_MS = 250
const UNITS_PER_TOKEN = Math.round(Number(MODELS[0].creditsPerToken) * UNITS_PER_CREDIT)

interface Sample {
  readonly atS: number
  readonly mb: number
}

/** Loads an emulator of its own with clients of all kinds, and looks at what is left of it. */
export async function runSoak(options: SoakOptions): Promise<Soaked> {
  const server = await startSoakServer()
  const agent = new Agent({ keepAlive: true, maxSockets: MOST_AT_ONCE })
  const load = new Load(server, agent, options.seed)
  await load.rush(WARM_UP_CLIENTS)
  load.forget()
  const before = await server.tell('collected')
  await load.openAccounts()
  await load.rush(options.fillClients)
  const filled = await server.tell('memory')
  const samples = await keepUp(load, server, options)
  await load.settled()
  const { cpuS } = await server.tell('memory')
  const ledger = await readLedger(server.url)
  agent.destroy()
  const after = await server.tell('collected')
  const closed = await server.tell('close')
  const exitCode = await server.release()
  return {
    seconds: options.seconds,
    wrong: [...load.wrong, ...ledger.wrong],
    clients: load.clients,
    outcomes: load.outcomes,
    accounts: ledger.accounts,
    openHolds: ledger.openHolds,
    clientUnits: load.countedTokens * UNITS_PER_TOKEN,
    ledgerUnits: ledger.chargedUnits[load.countedId] ?? Number.NaN,
    rss: describeMemory(samples),
    heapBeforeMb: round(before.heapUsedBytes / 1e6, 2),
    heapAfterMb: round(after.heapUsedBytes / 1e6, 2),
    resourcesAfterClose: closed.resources,
    unhandled: closed.unhandled,
    exitCode,
    cpuShare: round((cpuS - filled.cpuS) / options.seconds, 3),
  }
}

/** Begins clients at the asked pace until the time is over, and reads what is resident all along. */
async function keepUp(load: Load, server: SoakServer, options: SoakOptions): Promise<Sample[]> {
  const { seconds, clientsPerS, onProgress } = options
  const sampleMs = Math.max(LEAST_SAMPLE_MS, (seconds * 1000) / MOST_SAMPLES)
  const samples: Sample[] = []
  const startMs = performance.now()
  let begun = 0
  for (;;) {
    const elapsedMs = performance.now() - startMs
    if (elapsedMs >= seconds * 1000) return samples
    const due = Math.floor((elapsedMs / 1000) * clientsPerS)
    for (; begun < due; begun += 1) if (load.underWay < MOST_AT_ONCE) void load.begin()
    if (elapsedMs >= samples.length * sampleMs) {
      const { rssBytes } = await server.tell('memory')
      samples.push({ atS: round(elapsedMs / 1000, 2), mb: round(rssBytes / 1e6, 1) })
      onProgress?.(`${Math.round(elapsedMs / 1000)} s, ${begun} clients, ${samples.at(-1)?.mb} MB`)
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** The line is through the last two thirds: before, the heap finds its size for this pace. */
function describeMemory(samples: readonly Sample[]): Soaked['rss'] {
  const later = samples.slice(Math.floor(samples.length / 3))
  const { slope, slopeError } = fitLine(later.map(({ atS, mb }) => ({ x: atS, y: mb })))
  const lengthS = (later.at(-1)?.atS ?? 0) - (later[0]?.atS ?? 0)
  return {
    samplesMb: samples.map(({ mb }) => mb),
    slopeMbPerHour: round(slope * 3600, 1),
    slopeErrorMbPerHour: round(slopeError * 3600, 1),
    growthMb: round(slope * lengthS, 1),
  }
}
