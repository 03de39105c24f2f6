export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** A simulated target. It rejects a request immediately, and serves one in `tookMs` milliseconds. */
export interface Target {
  readonly tookMs: number
  /** Handles a request. Returns the response and, if needed, a callback for the time at which it has been sent. */
  receive(nowMs: number, tokens: number): readonly [Response, (() => void)?]
}

export const OK: Response = { status: 200, headers: {} }
interface LimitOptions {
  readonly perMinute: number
  readonly capacity: number
  /** Length of a window in milliseconds. Default: one minute. */
  readonly windowMs?: number
  readonly hasHeaders?: boolean
  readonly hasRetryAfter?: boolean
  readonly unit?: 'requests' | 'tokens'
  readonly tookMs?: number
}

function headersOf(
  { unit = 'requests', capacity, hasHeaders = true, hasRetryAfter = true }: LimitOptions,
  { level, resetMs, waitMs }: { readonly level: number; readonly resetMs: number; readonly waitMs: number },
): Record<string, string> {
  const reset = { [`x-ratelimit-reset-${unit}`]: `${Math.ceil(resetMs)}ms` }
  const state = {
    [`x-ratelimit-limit-${unit}`]: `${capacity}`,
    [`x-ratelimit-remaining-${unit}`]: `${Math.floor(level)}`,
  }
  const retryAfter = { 'retry-after': `${Math.ceil(waitMs / 1000)}` }
  return { ...(hasHeaders ? { ...state, ...reset } : {}), ...(waitMs > 0 && hasRetryAfter ? retryAfter : {}) }
}

export function bucket(options: LimitOptions): Target {
  const { perMinute, capacity, unit, tookMs = 0 } = options
  const perMs = perMinute / 60_000
  let [level, atMs] = [capacity, 0]
  return {
    tookMs,
    receive(nowMs, tokens) {
      const amount = unit === 'tokens' ? tokens : 1
      level = Math.min(capacity, level + (nowMs - atMs) * perMs)
      atMs = nowMs
      const waitMs = level + 1e-6 >= amount ? 0 : (amount - level) / perMs
      if (waitMs === 0) level -= amount
      const headers = headersOf(options, { level, resetMs: (capacity - level) / perMs, waitMs })
      return [{ status: waitMs > 0 ? 429 : 200, headers }]
    },
  }
}

export function fixedWindow(options: LimitOptions): Target {
  const { windowMs = 60_000, tookMs = 0 } = options
  let [used, endsMs] = [0, 0]
  return {
    tookMs,
    receive(nowMs) {
      if (nowMs >= endsMs) [used, endsMs] = [0, nowMs + windowMs]
      const isRejected = used >= options.capacity
      used += isRejected ? 0 : 1
      const state = { level: options.capacity - used, resetMs: endsMs - nowMs, waitMs: isRejected ? endsMs - nowMs : 0 }
      return [{ status: isRejected ? 429 : 200, headers: headersOf(options, state) }]
    },
  }
}

export function slidingWindow(options: LimitOptions): Target {
  const { windowMs = 60_000, tookMs = 0 } = options
  let times: number[] = []
  return {
    tookMs,
    receive(nowMs) {
      times = times.filter((atMs) => atMs > nowMs - windowMs)
      const waitMs = times.length < options.capacity ? 0 : (times[0] ?? 0) + windowMs - nowMs
      if (waitMs === 0) times.push(nowMs)
      const state = {
        level: options.capacity - times.length,
        resetMs: (times.at(-1) ?? nowMs) + windowMs - nowMs,
        waitMs,
      }
      return [{ status: waitMs > 0 ? 429 : 200, headers: headersOf(options, state) }]
    },
  }
}

/** @param lateEvery number of responses after which the next request still counts the ended one as in flight */
export function parallel(
  limit: number,
  tookMs: number,
  headers: Response['headers'] = {},
  lateEvery: number = Infinity,
): Target {
  let [inFlight, ended, isLate] = [0, 0, false]
  return {
    tookMs,
    receive() {
      const counted = inFlight + (isLate ? 1 : 0)
      isLate = false
      if (counted >= limit) return [{ status: 429, headers }]
      inFlight += 1
      const end = (): void => {
        inFlight -= 1
        ended += 1
        isLate = ended % lateEvery === 0
      }
      return [OK, end]
    },
  }
}
