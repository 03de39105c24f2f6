import type { Calibration } from '../../reports/load-document.ts'
import { CHEAPEST_MODEL } from '../../scenarios/lib/credits.ts'
import type { LoadSettings } from '../../scenarios/lib/load-settings.ts'
import { OPTION_DEFAULTS, pickSettings } from '../../scenarios/lib/option-values.ts'
import type { FindMeasurementError } from '../metrics/measurements.ts'
import { runK6 } from '../k6/run-k6.ts'
import type { LoadContext } from '../options/load-context.ts'
import { readTimings } from '../target/emulator-client.ts'
import { calculateErrorFigures } from './compare-run.ts'
import { type TimingDifferences, joinEvents } from './join-events.ts'

/** Dependencies and concurrency of a calibration. */
export interface CalibrationOptions {
  readonly k6: string
  /** Number of concurrent requests, as in the run that follows. */
  readonly concurrency: number
  readonly context: Pick<LoadContext, 'signal' | 'startEmbedded' | 'onPhase'>
}

const TOKENS = 20
/** Rate at which an emulator in this process can write events on time. */
const MAX_EVENTS_PER_S = 4000

/**
 * Measures the error of this load generator on this machine. k6 reads streams from an emulator that records when it
 * wrote each event, with two latency profiles, at the concurrency of the run. The error is the measured time minus the
 * recorded time.
 * @returns undefined if no response could be compared
 */
export async function calibrate(
  options: CalibrationOptions,
): Promise<{ calibration: Calibration; errorOf: FindMeasurementError } | undefined> {
  const { concurrency, context } = options
  const differences: TimingDifferences = new Map()
  const profiles = latencyProfiles(concurrency)
  let [joined, unjoined] = [0, 0]
  for (const profile of profiles) {
    if (context.signal.aborted) return undefined
    context.onPhase?.({ name: 'calibrating', progress: profile.latency })
    const one = await calibrateWith(options, profile)
    joined += one.joined
    unjoined += one.unjoined
    addTo(differences, one.differences)
  }
  if (joined === 0) return undefined
  const figures = calculateErrorFigures(differences)
  const calibration = {
    source: 'self',
    concurrency,
    joined,
    unjoined,
    profiles: profiles.map(({ latency }) => latency),
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

/** Latency of the emulator during a calibration, and the number of streams to read. */
interface LatencyProfile {
  readonly latency: string
  readonly streams: number
  /** Approximate duration of a stream. */
  readonly streamS: number
}

/**
 * Returns a fast profile with constant latency, and a slow profile with varying latency. The slow profile has fewer
 * streams, because they take longer.
 */
function latencyProfiles(concurrency: number): LatencyProfile[] {
  const gapMs = Math.max(5, Math.ceil((concurrency * 1000) / MAX_EVENTS_PER_S))
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

async function calibrateWith(
  { k6, concurrency, context: { signal, startEmbedded } }: CalibrationOptions,
  profile: LatencyProfile,
) {
  const emulator = await startEmbedded(profile.latency)
  try {
    const { events } = await runK6({
      k6,
      scenario: 'chat-stream',
      settings: settingsFor(emulator.url, concurrency, profile),
      keys: { funded: emulator.keys.funded },
      keepsEvents: true,
      signal,
    })
    return joinEvents(events, await readTimings(emulator.url))
  } finally {
    await emulator.close()
  }
}

/**
 * Returns settings with as many concurrent streams as in the run, and with ramped starts. Streams that started at the
 * same time would wait until the emulator accepts them, before its clock for the request starts.
 */
function settingsFor(target: string, concurrency: number, { streams, streamS }: LatencyProfile): LoadSettings {
  const model = CHEAPEST_MODEL
  const rate = concurrency / streamS
  const steadyS = streams / rate
  return {
    ...pickSettings(OPTION_DEFAULTS),
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
    thresholds: {},
    extension: {},
  }
}

function addTo(sum: TimingDifferences, added: TimingDifferences): void {
  for (const [operation, metrics] of added) {
    const own = sum.get(operation) ?? new Map()
    sum.set(operation, own)
    for (const [metric, values] of metrics) own.set(metric, (own.get(metric) ?? []).concat(values))
  }
}
