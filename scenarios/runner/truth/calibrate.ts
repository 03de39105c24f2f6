import type { Calibration } from '../../../reports/load-document.ts'
import type { LoadSettings } from '../../lib/load-settings.ts'
import type { ErrorOf } from '../figures/facts.ts'
import { runK6 } from '../k6/run-k6.ts'
import type { EmbeddedTarget } from '../load-options.ts'
import { readTimings } from './emulator-record.ts'
import { errorFigures } from './compare-run.ts'
import { type Differences, joinEvents } from './join-events.ts'

/** What a calibration needs. */
export interface CalibrationPlan {
  readonly k6: string
  /** Requests at once, as in the run that follows. */
  readonly concurrency: number
  readonly signal: AbortSignal
  startEmbedded(latency: string): Promise<EmbeddedTarget>
  onProfile?(latency: string): void
}

/** Fewest streams of a profile: enough for the p99 of first tokens to be more than the largest of a handful. */
const LEAST_STREAMS = 100
const TOKENS = 20
/** Events per second that an emulator in this process writes without being late itself. */
const MOST_EVENTS_PER_S = 4000

/**
 * Measures this generator on this machine: k6 streams from an emulator whose record says when each event was written, with two
 * contrasting paces, at the same concurrency. What it measured less what was written is its error.
 * @returns undefined when it could not be made
 */
export async function calibrate(
  plan: CalibrationPlan,
): Promise<{ calibration: Calibration; errorOf: ErrorOf } | undefined> {
  const differences: Differences = new Map()
  const profiles = contrastingProfiles(plan.concurrency)
  let [joined, unjoined] = [0, 0]
  for (const latency of profiles) {
    if (plan.signal.aborted) return undefined
    plan.onProfile?.(latency)
    const one = await calibrateWith(plan, latency)
    joined += one.joined
    unjoined += one.unjoined
    addTo(differences, one.differences)
  }
  if (joined === 0) return undefined
  const figures = errorFigures(differences)
  const calibration = { source: 'self', concurrency: plan.concurrency, joined, unjoined, profiles, figures } as const
  return {
    calibration,
    errorOf: (_operation, metric) => {
      const figure = figures[metric]
      return figure === undefined ? null : { biasMs: figure.biasMs, p50Ms: figure.p50Ms, p99Ms: figure.p99Ms }
    },
  }
}

/** A quick one that does not vary, and a slow one that does. */
function contrastingProfiles(concurrency: number): string[] {
  const gapMs = Math.max(5, Math.ceil((concurrency * 1000) / MOST_EVENTS_PER_S))
  return [`ttft=20ms,gap=${gapMs}ms`, `ttft=100ms..300ms,gap=${2 * gapMs}ms..${8 * gapMs}ms`]
}

async function calibrateWith({ k6, concurrency, signal, startEmbedded }: CalibrationPlan, latency: string) {
  const emulator = await startEmbedded(latency)
  try {
    const { events } = await runK6({
      k6,
      scenario: 'chat-stream',
      settings: settingsFor(emulator.url, concurrency),
      keys: { TOUCHSTONE_KEY: emulator.keys.funded },
      keepsEvents: true,
      signal,
    })
    return joinEvents(events, await readTimings(emulator.url))
  } finally {
    await emulator.close()
  }
}

function settingsFor(target: string, concurrency: number): LoadSettings {
  const model = 'vendora-v4-flash'
  return {
    target,
    arrivals: 'closed',
    stages: [{ durationS: 60, from: concurrency, to: concurrency }],
    vus: concurrency,
    iterations: Math.max(LEAST_STREAMS, 3 * concurrency),
    seed: 1,
    models: { chat: model, images: model, transcriptions: model, speech: model },
    maxTokens: TOKENS,
    promptWords: 8,
    timeoutMs: 60_000,
    thresholds: {},
    extension: {},
  }
}

function addTo(sum: Differences, part: Differences): void {
  for (const [operation, metrics] of part) {
    const own = sum.get(operation) ?? new Map()
    sum.set(operation, own)
    for (const [metric, values] of metrics) own.set(metric, (own.get(metric) ?? []).concat(values))
  }
}
