import type { Calibration } from '../../reports/load-document.ts'
import { CHEAPEST_MODEL } from '../../scenarios/lib/credits.ts'
import type { LoadSettings } from '../../scenarios/lib/load-settings.ts'
import type { ErrorOf } from '../metrics/measurements.ts'
import { runK6 } from '../k6/run-k6.ts'
import type { EmbeddedTarget } from '../options/load-options.ts'
import { readTimings } from '../target/emulator-client.ts'
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
  const paces = contrastingPaces(plan.concurrency)
  let [joined, unjoined] = [0, 0]
  for (const pace of paces) {
    if (plan.signal.aborted) return undefined
    plan.onProfile?.(pace.latency)
    const one = await calibrateWith(plan, pace)
    joined += one.joined
    unjoined += one.unjoined
    addTo(differences, one.differences)
  }
  if (joined === 0) return undefined
  const figures = errorFigures(differences)
  const calibration = {
    source: 'self',
    concurrency: plan.concurrency,
    joined,
    unjoined,
    profiles: paces.map(({ latency }) => latency),
    figures,
  } as const
  return {
    calibration,
    errorOf: (_operation, metric) => {
      const figure = figures[metric]
      return figure === undefined ? null : { biasMs: figure.biasMs, p50Ms: figure.p50Ms, p99Ms: figure.p99Ms }
    },
  }
}

/** How an emulator is paced for a calibration, and how many streams are read from it. */
interface Pace {
  readonly latency: string
  readonly streams: number
  /** How long a stream takes, about. */
  readonly streamS: number
}

/** A quick one that does not vary, and a slow one that does; of that fewer streams, so that nobody waits for long. */
function contrastingPaces(concurrency: number): Pace[] {
  const gapMs = Math.max(5, Math.ceil((concurrency * 1000) / MOST_EVENTS_PER_S))
  return [
    {
      latency: `ttft=20ms,gap=${gapMs}ms`,
      streams: Math.max(60, 4 * concurrency),
      streamS: (20 + TOKENS * gapMs) / 1000,
    },
    {
      latency: `ttft=100ms..300ms,gap=${2 * gapMs}ms..${8 * gapMs}ms`,
      streams: Math.max(24, concurrency),
      streamS: (120 + TOKENS * 2.4 * gapMs) / 1000,
    },
  ]
}

async function calibrateWith({ k6, concurrency, signal, startEmbedded }: CalibrationPlan, pace: Pace) {
  const emulator = await startEmbedded(pace.latency)
  try {
    const { events } = await runK6({
      k6,
      scenario: 'chat-stream',
      settings: settingsFor(emulator.url, concurrency, pace),
      keys: { TOUCHSTONE_KEY: emulator.keys.funded },
      keepsEvents: true,
      signal,
    })
    return joinEvents(events, await readTimings(emulator.url))
  } finally {
    await emulator.close()
  }
}

/**
 * As many streams at once as in the run, but begun one after the other: where all begin in one moment, they wait for the emulator
 * to take them in, which it does before its own clock starts.
 */
function settingsFor(target: string, concurrency: number, { streams, streamS }: Pace): LoadSettings {
  const model = CHEAPEST_MODEL
  const rate = concurrency / streamS
  const steadyS = streams / rate
  return {
    target,
    arrivals: 'poisson',
    stages: [
      { durationS: 2 * streamS, from: 0, to: rate },
      { durationS: steadyS, from: rate, to: rate },
    ],
    vus: concurrency,
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
