import type { FaultRule } from '../../../emulator/start-emulator.ts'

/** Request header with the name of the fault to inject. */
export const FAULT_HEADER = 'x-soak-fault'

const ACTIONS = {
  status: { status: 500 },
  busy: { status: 503, retryAfterSeconds: 1 },
  drop: { drop: true },
  reset: { reset: true },
  delay: { delayMs: 60 },
  'slow-events': { itlMs: 20 },
  'cut-events': { cutAfterEvents: 3 },
  'reset-events': { cutAfterEvents: 3, reset: true },
  'cut-bytes': { cutAfterBytes: 40 },
  'error-event': { errorAfterEvents: 2 },
  stall: { stallAfterEvents: 2 },
  'half-event': { malformedEvent: 2 },
  'never-ends': { neverEnds: true },
  'other-type': { contentType: 'text/html' },
  sometimes: { probability: 0.5, status: 500 },
} as const satisfies Record<string, FaultRule>

export const FAULT_NAMES = Object.keys(ACTIONS)

/** Fault rules, one for each fault. A rule matches only requests whose {@link FAULT_HEADER} names its fault. */
export const FAULT_RULES: readonly FaultRule[] = Object.entries(ACTIONS).map(([name, action]) => ({
  header: `${FAULT_HEADER}: ${name}`,
  ...action,
}))
