import type { FaultRule } from '../../emulator/start-emulator.ts'

/** Names the fault that a request asks for. */
export const FAULT_HEADER = 'x-soak-fault'

const ACTIONS = {
  status: { status: 500 },
  busy: { status: 503, retryAfterSeconds: 1 },
  drop: { drop: true },
  reset: { reset: true },
  delay: { delayMs: 60 },
  'slow-events': { gapMs: 20 },
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

/** What can be asked for. */
export const FAULT_NAMES = Object.keys(ACTIONS)

/** A rule for each, met by the requests that name it alone: what the others get has to be right. */
export const FAULT_RULES: readonly FaultRule[] = Object.entries(ACTIONS).map(([name, action]) => ({
  header: `${FAULT_HEADER}: ${name}`,
  ...action,
}))
