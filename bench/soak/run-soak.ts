import { Agent } from 'node:http'
import { MODELS, UNITS_PER_CREDIT } from '../../contract/facts.ts'
import { round } from '../statistics.ts'
import { readLedger } from '../emulator-control.ts'
import { fitLine } from './least-squares.ts'
import { Load } from './load.ts'
import { startSoakServer, type SoakServer } from './server.ts'
import type { SoakResult } from './soak-result.ts'

/** Duration and rate of a soak test. */
export interface SoakOptions {
  readonly seconds: number
  /** Clients to start per second; some of them send two requests. */
  readonly clientsPerS: number
  readonly seed: number
  /** Clients to run before the measurement, as fast as possible. 50,000 fill the emulator's bounded records. */
  readonly fillClients: number
  /** Receives a line of text for each sample. */
  onProgress?(text: string): void
}

/** Maximum number of requests in flight. Above it, the emulator is too slow for the rate, and new clients wait. */
const MOST_AT_ONCE = 500
/** Requests to send before the first memory reading, so that code is compiled by then. */
const WARM_UP_CLIENTS = 1000
const MOST_SAMPLES = 360
const LEAST_SAMPLE_MS = 250
const UNITS_PER_TOKEN = Math.round(Number(MODELS[0].creditsPerToken) * UNITS_PER_CREDIT)

interface Sample {
  readonly atS: number
  readonly mb: number
}

/** Starts an emulator, loads it with clients of all kinds, and reads what remains. */
export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const server = await startSoakServer()
  const agent = new Agent({ keepAlive: true, maxSockets: MOST_AT_ONCE })
  const load = new Load(server, agent, options.seed)
  await load.rush(WARM_UP_CLIENTS)
  load.forget()
  const before = await server.tell('collected')
  await load.openAccounts()
  await load.rush(options.fillClients)
  const filled = await server.tell('memory')
  const samples = await loadAtRate(load, server, options)
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

/** Starts clients at the given rate until the time is over, and samples the resident memory. */
async function loadAtRate(load: Load, server: SoakServer, options: SoakOptions): Promise<Sample[]> {
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

/** The line is fitted to the last two thirds: during the first third the heap still settles. */
function describeMemory(samples: readonly Sample[]): SoakResult['rss'] {
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
