import { randomBytes } from 'node:crypto'
import { requestsUsage } from '../../scenarios/lib/chat-body.ts'
import type { TrafficSettings } from '../../scenarios/lib/load-settings.ts'
import type { Calibration } from '../../reports/load-document.ts'
import type { LoadFinding } from '../findings/finding.ts'
import { describeEventsProblem, type K6RunResult } from '../k6/run-k6.ts'
import type { Measurements } from '../metrics/measurements.ts'
import type { LoadContext } from '../options/load-context.ts'
import type { LoadKeys, LoadOptions } from '../options/load-options.ts'
import { isEmulator, readLastLogSeq, readRequestLog, readTimings, waitUntilIdle } from '../target/emulator-client.ts'
import { parseTarget } from '../target/open-target.ts'
import { inspectTarget } from '../target/preflight.ts'
import { compareWithRecord, type UpstreamComparison } from './compare-record.ts'

/** The service behind a target that is a gateway. */
export interface OpenedUpstream {
  readonly url: string
  /**
   * Whether the upstream's record can be compared with the responses. If not, the run alternates between the target and
   * the upstream.
   */
  readonly isEmulator: boolean
  readonly keys: LoadKeys
  readonly problem: LoadFinding | undefined
}

/**
 * Validates the upstream of the options, and detects whether it is an emulator. Does not detect an emulator behind a
 * proxy.
 * @throws InvalidOptionError for an invalid address
 */
export async function openUpstream(
  options: LoadOptions,
  { upstreamProxy: proxy, signal }: Pick<LoadContext, 'upstreamProxy' | 'signal'>,
): Promise<OpenedUpstream | undefined> {
  if (options.upstream === undefined) return undefined
  const url = parseTarget(options.upstream, 'upstream')
  const key = options.upstreamKey ?? options.key
  const keys = key === undefined ? {} : { funded: key }
  if (proxy === undefined && (await isEmulator(url, signal))) return { url, isEmulator: true, keys, problem: undefined }
  // The headers are meant for the gateway, and can contain its credentials.
  const { ca, insecure } = options
  const { problem } = await inspectTarget(url, keys, { ca, insecure }, { proxy, signal })
  return { url, isEmulator: false, keys, problem: problem === undefined ? undefined : toUpstreamFinding(problem, url) }
}

function toUpstreamFinding(problem: LoadFinding, upstream: string): LoadFinding {
  switch (problem.code) {
    case 'target-unreachable':
      return { code: 'upstream-unreachable', params: { upstream, failure: problem.params.failure } }
    case 'target-rejects-key':
      return { code: 'upstream-rejects-key', params: { upstream, status: problem.params.status } }
    case 'target-requires-key':
      return { code: 'upstream-rejects-key', params: { upstream, status: 401 } }
    default:
      return problem
  }
}

export interface UpstreamComparator {
  /**
   * Prefix of the request IDs by which the run's requests are found in the emulator's request log. Undefined if the run
   * sends no IDs.
   */
  readonly prefix?: string
  /** Compares the responses of the run with the record of the upstream, after the run. */
  compare(run: {
    readonly exit: Pick<K6RunResult, 'events' | 'eventsProblem'>
    readonly tokens: Measurements['tokens']
    readonly calibration: Calibration | null
  }): Promise<Partial<Pick<UpstreamComparison, 'upstream'>> & Omit<UpstreamComparison, 'upstream'>>
}

/** Prepares the comparison with the record of an upstream emulator, before the first request of the load. */
export async function createUpstreamComparator(
  upstream: OpenedUpstream | undefined,
  settings: Pick<TrafficSettings, 'body' | 'models'>,
  signal: AbortSignal,
): Promise<UpstreamComparator> {
  if (upstream?.isEmulator !== true) return { compare: async () => ({ notes: [], gaps: [] }) }
  const { url } = upstream
  const emulator = { url, signal }
  const prefix = `touchstone-${randomBytes(6).toString('hex')}-`
  const afterSeq = await readLastLogSeq(emulator).catch(describeFailure)
  return {
    prefix,
    async compare({ exit, ...run }) {
      if (typeof afterSeq === 'object') return { notes: [], gaps: [afterSeq] }
      if (exit.eventsProblem !== undefined) return { notes: [], gaps: [describeEventsProblem(exit.eventsProblem)] }
      try {
        await waitUntilIdle(emulator)
        const [log, timings] = [await readRequestLog(emulator, afterSeq), await readTimings(emulator)]
        return compareWithRecord({
          ...run,
          lines: exit.events,
          isUsageRequested: requestsUsage(settings),
          models: settings.models,
          upstreamUrl: url,
          prefix,
          log,
          timings,
        })
      } catch (error) {
        return { notes: [], gaps: [describeFailure(error)] }
      }
    },
  }
}

function describeFailure(error: unknown): LoadFinding {
  return { code: 'record-unreadable', params: { message: error instanceof Error ? error.message : String(error) } }
}
