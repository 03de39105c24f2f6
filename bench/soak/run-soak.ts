import { Agent } from 'node:http'
import { MODELS, UNITS_PER_CREDIT } from '../../contract/facts.ts'
import { roundTo } from '../statistics.ts'
import { readLedger } from '../emulator-control.ts'
import { fitLine } from './least-squares.ts'
import { SoakLoad } from './soak-load.ts'
import { startSoakServer, type SoakServer } from './soak-process.ts'
import type { SoakResult } from './soak-result.ts'

export interface SoakOptions {
  readonly seconds: number
  /** Clients that start per second. Some clients send two requests. */
  readonly clientsPerS: number
  readonly seed: number
  /**
   * Number of clients that run as fast as possible before the measurement. 50,000 clients fill the bounded records of
   * the emulator.
   */
  readonly fillClients: number
  /** Receives a line of text for each sample. */
  onProgress?(text: string): void
}

/**
 * Maximum number of concurrent clients. If an emulator is too slow for the rate, clients above this number are skipped.
 */
const MAX_CONCURRENT_CLIENTS = 500
/** Number of clients before the first memory sample, so that V8 has compiled the code. */
const WARM_UP_CLIENTS = 1000
const MAX_SAMPLES = 360
const MIN_SAMPLE_INTERVAL_MS = 250
const UNITS_PER_TOKEN = Math.round(Number(MODELS[0].creditsPerToken) * UNITS_PER_CREDIT)

interface Sample {
  readonly atS: number
  readonly mb: number
}

export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const server = await startSoakServer()
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONCURRENT_CLIENTS })
  const load = new SoakLoad(server, agent, options.seed)
  await load.runClients(WARM_UP_CLIENTS)
  load.resetCounts()
  const before = await server.query('collected')
  await load.createAccounts()
  await load.runClients(options.fillClients)
  const filled = await server.query('memory')
  const samples = await loadAtRate(load, server, options)
  await load.waitUntilIdle()
  const { cpuS } = await server.query('memory')
  const ledger = await readLedger(server.url)
  agent.destroy()
  const after = await server.query('collected')
  const closed = await server.query('close')
  const exitCode = await server.stop()
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
    heapBeforeMb: roundTo(before.heapUsedBytes / 1e6, 2),
    heapAfterMb: roundTo(after.heapUsedBytes / 1e6, 2),
    resourcesAfterClose: closed.resources,
    unhandled: closed.unhandled,
    exitCode,
    cpuShare: roundTo((cpuS - filled.cpuS) / options.seconds, 3),
  }
}

/** Starts clients at a steady rate for the duration of the test, and samples the resident memory. */
async function loadAtRate(load: SoakLoad, server: SoakServer, options: SoakOptions): Promise<Sample[]> {
  const { seconds, clientsPerS, onProgress } = options
  const sampleMs = Math.max(MIN_SAMPLE_INTERVAL_MS, (seconds * 1000) / MAX_SAMPLES)
  const samples: Sample[] = []
  const startMs = performance.now()
  let started = 0
  for (;;) {
    const elapsedMs = performance.now() - startMs
    if (elapsedMs >= seconds * 1000) return samples
    const due = Math.floor((elapsedMs / 1000) * clientsPerS)
    for (; started < due; started += 1) if (load.inFlight < MAX_CONCURRENT_CLIENTS) void load.startClient()
    if (elapsedMs >= samples.length * sampleMs) {
      const { rssBytes } = await server.query('memory')
      samples.push({ atS: roundTo(elapsedMs / 1000, 2), mb: roundTo(rssBytes / 1e6, 1) })
      onProgress?.(`${Math.round(elapsedMs / 1000)} s, ${started} clients, ${samples.at(-1)?.mb} MB`)
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/**
 * Fits a line to the last two thirds of the memory samples, because the heap size is not yet stable during the first
 * third.
 */
function describeMemory(samples: readonly Sample[]): SoakResult['rss'] {
  const later = samples.slice(Math.floor(samples.length / 3))
  const { slope, slopeError } = fitLine(later.map(({ atS, mb }) => ({ x: atS, y: mb })))
  const lengthS = (later.at(-1)?.atS ?? 0) - (later[0]?.atS ?? 0)
  return {
    samplesMb: samples.map(({ mb }) => mb),
    slopeMbPerHour: roundTo(slope * 3600, 1),
    slopeErrorMbPerHour: roundTo(slopeError * 3600, 1),
    growthMb: roundTo(slope * lengthS, 1),
  }
}
