import { createHash } from 'node:crypto'
import type { Operation } from '../../contract/facts.ts'
import { Recorder } from '../evidence/recorder.ts'
import { type Secret, SecretMask } from '../evidence/secrets.ts'
import type { Form } from '../requests/request-forms.ts'
import { BYTE_LIMIT, HEADER_LIMIT, type WireOptions } from '../http/http-options.ts'
import { Budget } from './spend-limit.ts'
import { LatencySamples } from '../latency/latency-samples.ts'
import { Pace } from './pacer.ts'
import { Patience } from './rate-limit-retries.ts'
import type { RunSettings } from './settings.ts'
import { TimeoutGuard } from './timeout-breaker.ts'

/** What all checks of a run share. */
export interface Session {
  readonly settings: RunSettings
  readonly wire: WireOptions
  readonly mask: SecretMask
  readonly budget: Budget
  readonly timeouts: TimeoutGuard
  readonly latency: LatencySamples
  readonly pace: Pace
  readonly patience: Patience
  /** Models found to serve each operation, and why there is none for the others. */
  readonly models: Map<Operation, string>
  readonly modelProblems: Map<Operation, string>
  /** The form in which a model was found to serve an operation, where it is not the least surprising one. */
  readonly forms: Map<Operation, Form>
  /** Units (1/10000 credit) that answers reported in their usage; undefined until one did. */
  knownUnits: number | undefined
}

/** Starts the clock of a run. `signal` ends it early. */
export function createSession(settings: RunSettings, signal: AbortSignal): Session {
  const { target, timeoutMs } = settings
  const start = performance.now()
  const { ca } = target
  return {
    settings,
    wire: {
      baseUrl: target.url,
      timeoutMs,
      byteLimit: BYTE_LIMIT,
      headerLimit: HEADER_LIMIT,
      ...(ca === undefined ? {} : { ca }),
      insecure: target.insecure,
      signal,
      nowMs: () => performance.now() - start,
    },
    mask: new SecretMask(secretsOf(settings)),
    budget: new Budget(settings),
    timeouts: new TimeoutGuard(timeoutMs),
    latency: new LatencySamples(),
    pace: new Pace(target.requestsPerMinute),
    patience: new Patience(),
    models: new Map(),
    modelProblems: new Map(),
    forms: new Map(),
    knownUnits: undefined,
  }
}

/** A recorder for one check, or for the work before the checks, under a name of its own. */
export function createRecorder(settings: RunSettings, name: string): Recorder {
  return new Recorder(shortHash(`${settings.nonceSeed} ${name}`))
}

/** Eight hexadecimal digits that follow from the text. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

function secretsOf({ target }: RunSettings): Secret[] {
  const keys = [
    { value: target.keys.funded, variable: 'TOUCHSTONE_KEY' },
    { value: target.keys.noCredits, variable: 'TOUCHSTONE_KEY_NO_CREDITS' },
    { value: target.keys.limited, variable: 'TOUCHSTONE_KEY_LIMITED' },
    { value: target.keys.small, variable: 'TOUCHSTONE_KEY_SMALL' },
  ]
  // A header that the target needs is as likely as not a credential of a gateway.
  const headers = Object.values(target.headers).map((value) => ({ value }))
  return [...keys.flatMap(({ value, variable }) => (value === undefined ? [] : [{ value, variable }])), ...headers]
}
