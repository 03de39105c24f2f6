import { Agent } from 'node:http'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { MODELS, UNITS_PER_CREDIT } from '../../contract/facts.ts'
import { roundTo } from '../statistics.ts'
import { readLedger } from '../emulator-control.ts'
import { SoakLoad } from './soak-load.ts'
import type { SoakResult } from './soak-result.ts'
import type { SoakQuery, SoakReady, SoakState } from '../soak-server.ts'

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

interface FittedLine {
  /** Slope, in units of y per unit of x. */
  readonly slope: number
  /** Standard error of the slope. It is too small if the samples are autocorrelated. */
  readonly slopeError: number
}

/**
 * Fits a straight line to points by least squares.
 * @returns a line of NaN for fewer than three points
 */
function fitLine(points: readonly { readonly x: number; readonly y: number }[]): FittedLine {
  const n = points.length
  if (n < 3) return { slope: Number.NaN, slopeError: Number.NaN }
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / n
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / n
  const sxx = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0)
  const sxy = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0)
  const slope = sxy / sxx
  const residual = points.reduce((sum, { x, y }) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0)
  return { slope, slopeError: Math.sqrt(residual / (n - 2) / sxx) }
}

const PROGRAM = new URL('../soak-server.ts', import.meta.url)

/** Maximum time until the process exits after the emulator and the message channel are closed. */
const MAX_EXIT_MS = 10_000

interface SoakServer extends SoakReady {
  query(type: SoakQuery['type']): Promise<SoakState>
  /**
   * Closes the message channel and waits until the process exits.
   * @returns the exit code, or undefined if the process had to be killed
   */
  stop(): Promise<number | null | undefined>
}

async function startSoakServer(): Promise<SoakServer> {
  const child = fork(PROGRAM, { execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  const nextMessage = async () => {
    const exited = ended.then(([code]) => {
      throw new Error(`the emulator's process ended with ${code}`)
    })
    const [message] = await Promise.race([once(child, 'message'), exited])
    return message as unknown
  }
  const ready = (await nextMessage()) as SoakReady // The cast is safe: the first message has this type.
  return {
    ...ready,
    async query(type) {
      child.send({ type } satisfies SoakQuery)
      return (await nextMessage()) as SoakState // The cast is safe: all messages after the first have this type.
    },
    async stop() {
      child.disconnect()
      const tooLong = setTimeout(() => child.kill('SIGKILL'), MAX_EXIT_MS)
      const [code, signal] = (await ended) as [number | null, string | null]
      clearTimeout(tooLong)
      return signal === null ? code : undefined
    },
  }
}
