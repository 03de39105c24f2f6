import type { FastifyInstance } from 'fastify'
import { toJsonObject } from '../../common/json-object.ts'
import type { EmulatorInstance } from '../instance.ts'
import { isVirtualClock, type Clock } from '../state/clock.ts'
import { ControlError, requireValid } from './parse-request.ts'

const MAX_ADVANCE_MS = 366 * 86_400_000

/** Registers `GET /clock`, which reads the clock, and `POST /clock`, which moves, starts or stops a virtual clock. */
export function registerClockRoutes(server: FastifyInstance, { clock }: Pick<EmulatorInstance, 'clock'>): void {
  server.get('/clock', () => formatClock(clock))
  server.post('/clock', async ({ body }) => {
    if (!isVirtualClock(clock)) {
      const advice = 'Start it with --clock virtual (in a program: clock: createVirtualClock()).'
      throw new ControlError(409, `The emulator uses the real clock. ${advice}`)
    }
    const { advanceMs, running } = requireValid(parseCommand(body))
    if (running === false) clock.freeze()
    if (advanceMs !== undefined) await clock.advanceInTurns(advanceMs)
    if (running === true) clock.run()
    return formatClock(clock)
  })
}

function formatClock(clock: Clock) {
  const { kind } = clock
  const times = { unixSeconds: clock.unixSeconds(), nowMs: clock.nowMs() }
  return isVirtualClock(clock) ? { kind, running: clock.isRunning(), ...times } : { kind, ...times }
}

/**
 * Parses `{"advanceMs": 1000}`, `{"running": false}` or both.
 * @returns the command, or a sentence that describes the error
 */
function parseCommand(body: unknown): { readonly advanceMs?: number; readonly running?: boolean } | string {
  const { advanceMs, running, ...others } = toJsonObject(body)
  if ((advanceMs === undefined && running === undefined) || Object.keys(others).length > 0) {
    return 'Send {"advanceMs": 1000}, or {"running": true} or {"running": false} to start or stop the clock.'
  }
  if (running !== undefined && typeof running !== 'boolean') return '"running" must be true or false.'
  const isSpan = typeof advanceMs === 'number' && advanceMs >= 0 && advanceMs <= MAX_ADVANCE_MS
  if (advanceMs !== undefined && !isSpan) return `"advanceMs" must be a number from 0 to ${MAX_ADVANCE_MS}.`
  return { ...(isSpan ? { advanceMs } : {}), ...(running === undefined ? {} : { running }) }
}
