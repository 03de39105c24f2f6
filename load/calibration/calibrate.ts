import type { Calibration } from '../../reports/load-document.ts'
import { CHEAPEST_MODEL } from '../../scenarios/lib/credits.ts'
import type { LoadSettings } from '../../scenarios/lib/load-settings.ts'
import { OPTION_DEFAULTS, pickSettings } from '../../scenarios/lib/option-values.ts'
import type { ErrorOf } from '../metrics/measurements.ts'
import { runK6 } from '../k6/run-k6.ts'
import type { LoadContext } from '../options/load-context.ts'
import { readTimings } from '../target/emulator-client.ts'
import { calculateErrorFigures } from './compare-run.ts'
import { type Differences, joinEvents } from './join-events.ts'

/** What `calibrate` needs besides its constants. */
export interface CalibrationOptions {
  readonly k6: string
  /** Concurrent requests, as in the run that follows. */
  readonly concurrency: number
  readonly context: Pick<LoadContext, 'signal' | 'startEmbedded' | 'onPhase'>
}

const TOKENS = 20
/** Events per second that an emulator in this process writes without delays. */
const MAX_EVENTS_PER_S = 4000

/**
 * Measures the error of this load generator on this machine. k6 reads streams from an emulator that records when it wrote each event,
 * with two different latency profiles, at the concurrency of the run. The error is the measured time less the recorded one.
 * @returns undefined when no response could be compared
 */
export async function calibrate(
  options: CalibrationOptions,
): Promise<{ calibration: Calibration; errorOf: ErrorOf } | undefined> {
  const { concurrency, context } = options
  const differences: Differences = new Map()
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

/** A fast profile that does not vary, and a slow one that does, with fewer streams because they take longer. */
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
 * As many concurrent streams as in the run, with ramped starts. Streams that start together wait until the emulator accepts them, and
 * its clock for a request starts after that.
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

function addTo(sum: Differences, added: Differences): void {
  for (const [operation, metrics] of added) {
    const own = sum.get(operation) ?? new Map()
    sum.set(operation, own)
    for (const [metric, values] of metrics) own.set(metric, (own.get(metric) ?? []).concat(values))
  }
}
