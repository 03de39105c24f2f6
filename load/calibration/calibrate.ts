import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Calibration } from '../../reports/load-document.ts'
import { CHEAPEST_MODEL } from '../../scenarios/lib/credits.ts'
import type { LoadSettings, Stage } from '../../scenarios/lib/load-settings.ts'
import { OPTION_DEFAULTS, pickSettings } from '../../scenarios/lib/option-values.ts'
import type { LoadFinding } from '../findings/finding.ts'
import type { MeasurementErrorFinder } from '../metrics/measurements.ts'
import { runK6 } from '../k6/run-k6.ts'
import type { LoadContext } from '../options/load-context.ts'
import { estimateErrors } from './estimate-errors.ts'
import { joinEvents, type TimingDifferences } from './join-events.ts'
import { OWN_GROUP, waitForExit } from '../k6/run-program.ts'
import type { RecordedTiming } from '../target/emulator-client.ts'

export interface CalibrationOptions {
  readonly k6: string
  readonly settings: Pick<LoadSettings, 'arrivals' | 'stages' | 'vus' | 'iterations'>
  readonly context: Pick<LoadContext, 'signal' | 'onPhase'>
}

/** A calibration, and the resulting measurement error of each metric. */
export interface CalibrationResult {
  readonly calibration: Calibration
  readonly errorOf: MeasurementErrorFinder
}

const TOKENS = 20
/** Event rate that k6 and the reference server together sustain on two cores without delay. */
const MAX_EVENTS_PER_S = 6000
/** Minimum number of streams in a phase, unless planned arrivals would take more than 20 seconds. */
const MIN_STREAMS = 60
/** Minimum duration of the phase with planned arrivals. */
const PLANNED_S = 4

/** Calibrates if this is necessary. `missing` contains a finding if the calibration failed. */
export async function tryToCalibrate({
  isNeeded,
  ...options
}: CalibrationOptions & { readonly isNeeded: boolean }): Promise<{
  readonly calibrated?: CalibrationResult
  readonly missing: readonly LoadFinding[]
}> {
  if (!isNeeded) return { missing: [] }
  try {
    return { calibrated: await calibrate(options), missing: [] }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return { missing: [{ code: 'not-calibrated', params: { problem } }] }
  }
}

/**
 * Measures the error of this load generator on this machine: the measured time minus the recorded time. k6 reads
 * streams from a server that records when it wrote each event. The first phase imitates the start of the run: all
 * clients at once, or arrivals at the highest rate. The second phase has as many concurrent streams as the run may
 * have.
 * @throws Error if no response could be compared, or if the signal is aborted
 */
async function calibrate(options: CalibrationOptions): Promise<CalibrationResult> {
  const { settings, context } = options
  const differences: TimingDifferences = []
  const phases = listPhases(settings)
  let [joined, unjoined] = [0, 0]
  for (const phase of phases) {
    context.signal.throwIfAborted()
    context.onPhase?.({ name: 'calibrating', progress: phase.name })
    const one = await measurePhase(options, phase)
    joined += one.joined
    unjoined += one.unjoined
    differences.push(...one.differences)
  }
  if (joined === 0) throw new Error('no response could be compared')
  const profiles = phases.map(({ name }) => name)
  const figures = estimateErrors(differences)
  return {
    calibration: { source: 'self', concurrency: settings.vus, joined, unjoined, profiles, figures },
    errorOf: (_operation, metric) => {
      const { n: _, ...error } = figures[metric] ?? { n: 0 }
      return 'biasMs' in error ? error : null
    },
  }
}

interface CalibrationPhase {
  readonly name: string
  readonly streams: ReferenceStreams
  readonly load: Pick<LoadSettings, 'arrivals' | 'stages' | 'iterations'>
}

function listPhases(settings: CalibrationOptions['settings']): CalibrationPhase[] {
  const { vus, arrivals, stages } = settings
  const itlMs = Math.max(5, Math.ceil((vus * 1000) / MAX_EVENTS_PER_S))
  const fast: ReferenceStreams = { firstMs: [20, 20], itlMs: [itlMs, itlMs], tokens: TOKENS }
  const slow: ReferenceStreams = { firstMs: [100, 300], itlMs: [itlMs, 4 * itlMs], tokens: TOKENS }
  const closed = { arrivals: 'closed', stages: [], iterations: Math.max(MIN_STREAMS, 3 * vus) } as const
  if (arrivals === 'closed') {
    return [
      { name: `closed, ttft=20ms, itl=${itlMs}ms`, streams: fast, load: closed },
      { name: `closed, ttft=100ms..300ms, itl=${itlMs}ms..${4 * itlMs}ms`, streams: slow, load: closed },
    ]
  }
  const peak = Math.max(1, ...stages.flatMap(({ from, to }) => [from, to]))
  const plannedS = Math.max(PLANNED_S, MIN_STREAMS / peak)
  const steady = (durationS: number, rate: number): Stage[] => [{ durationS, from: rate, to: rate }]
  const quick: ReferenceStreams = { firstMs: [20, 20], itlMs: [5, 5], tokens: TOKENS }
  return [
    {
      name: `planned, ttft=20ms, itl=5ms`,
      streams: quick,
      load: { arrivals: 'constant', stages: steady(Math.min(plannedS, 20), peak) },
    },
    {
      name: `closed, ttft=100ms..300ms, itl=${itlMs}ms..${4 * itlMs}ms`,
      streams: slow,
      load: { ...closed, iterations: Math.max(MIN_STREAMS, vus) },
    },
  ]
}

async function measurePhase({ k6, settings, context: { signal } }: CalibrationOptions, phase: CalibrationPhase) {
  const server = await startReferenceServer(k6, phase.streams, signal)
  try {
    const { events, eventsProblem } = await runK6({
      k6,
      scenario: 'chat-stream',
      settings: settingsFor(server.url, settings.vus, phase),
      keys: { funded: 'none' },
      keepsEvents: true,
      signal,
    })
    if (eventsProblem !== undefined) throw new Error(eventsProblem)
    return joinEvents(events, await server.readRecord())
  } finally {
    await server.close()
  }
}

function settingsFor(target: string, vus: number, { load }: CalibrationPhase): LoadSettings {
  const model = CHEAPEST_MODEL
  return {
    ...pickSettings(OPTION_DEFAULTS),
    ...load,
    target,
    vus,
    seed: 1,
    models: { chat: model, images: model, transcriptions: model, speech: model },
    maxTokens: TOKENS,
    promptWords: 8,
    thresholds: {},
    extension: {},
  }
}

/** Streams that a reference server sends. Each delay is a random value between two bounds, in milliseconds. */
interface ReferenceStreams {
  readonly firstMs: readonly [number, number]
  readonly itlMs: readonly [number, number]
  readonly tokens: number
}

/** A server that records when it wrote each event. It runs in a separate process, so that it does not delay k6. */
interface ReferenceServer {
  readonly url: string
  readRecord(): Promise<readonly RecordedTiming[]>
  close(): Promise<void>
}

const TIMEOUT_MS = 30_000

/**
 * Starts a reference server, which is part of the k6 binary.
 * @param signal kills the server
 * @throws Error if it does not start
 */
async function startReferenceServer(
  k6: string,
  streams: ReferenceStreams,
  signal: AbortSignal,
): Promise<ReferenceServer> {
  // The server exits when its standard input is closed, even if this process is killed.
  const args = ['reference-server', JSON.stringify(streams)]
  const child = spawn(k6, args, { ...OWN_GROUP, stdio: ['pipe', 'pipe', 'ignore'] })
  const exited = waitForExit(child, { signal, stopWith: 'SIGKILL' }).then(() => undefined)
  const close = (): Promise<void> => {
    child.stdin.destroy()
    return exited
  }
  const printed = await Promise.race([once(child.stdout, 'data'), exited])
  const url = /^http:\/\/\S+/.exec(String(printed?.[0] ?? ''))?.[0]
  if (url === undefined) {
    await close()
    throw new Error(`${k6} cannot start its reference server`)
  }
  const readRecord = async (): Promise<readonly RecordedTiming[]> => {
    const either = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    const response = await fetch(`${url}/record`, { signal: either })
    // The cast is safe: the server is part of the k6 that this repository builds.
    return (await response.json()) as readonly RecordedTiming[]
  }
  return { url, readRecord, close }
}
