import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import {
  CONTRADICTORY_SCHEMA,
  listWaits,
  sendRequest,
  SERVICE_MS,
  settle,
  setUpQueue,
  startRequests,
} from './support/queue.ts'
import { WAIT_FOR_OPTIONS } from './support/servers.ts'

const FAULTS = [
  'drop',
  'reset',
  'status=503',
  'cutAfterEvents=2',
  'cutAfterBytes=20',
  'errorAfterEvents=1',
  'stallAfterEvents=1',
  'neverEnds',
  'delayMs=40',
  'malformedEvent=1',
]

const event = fc.record({
  beforeMs: fc.nat(60),
  kind: fc.constantFrom('plain', 'stream', 'schema', 'credits', 'reset', 'fault', 'fault', 'stream'),
  fault: fc.constantFrom(...FAULTS),
  /** Time from the request to its abort by the client, or null. */
  abortAfterMs: fc.option(fc.nat(300), { freq: 2 }),
})

test('gives every slot back exactly once, however requests end', { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(
    fc.array(event, { minLength: 4, maxLength: 14 }),
    fc.integer({ min: 1, max: 3 }),
    async (events, slots) => {
      const { clock, emulator } = setUpQueue({ slots })
      const controllers: AbortController[] = []
      const aborts: { atMs: number; controller: AbortController }[] = []
      const advanceTo = async (untilMs: number) => {
        for (const { atMs, controller } of aborts.toSorted((a, b) => a.atMs - b.atMs)) {
          if (atMs > untilMs || controller.signal.aborted) continue
          clock.advance(Math.max(0, atMs - clock.nowMs()))
          controller.abort()
          await settle()
        }
        clock.advance(untilMs - clock.nowMs())
        await settle()
      }
      const responses: Promise<unknown>[] = []
      for (const { beforeMs, kind, fault, abortAfterMs } of events) {
        await advanceTo(clock.nowMs() + beforeMs)
        if (kind === 'reset') {
          emulator.reset()
          continue
        }
        const controller = new AbortController()
        controllers.push(controller)
        if (abortAfterMs !== null) aborts.push({ atMs: clock.nowMs() + abortAfterMs, controller })
        const fields = kind === 'schema' ? CONTRADICTORY_SCHEMA : { stream: kind === 'stream' || kind === 'fault' }
        const key = kind === 'credits' ? emulator.keys.noCredits : emulator.keys.funded
        const injected = kind === 'fault' ? { fault } : {}
        responses.push(sendRequest(emulator, { fields, key, signal: controller.signal, ...injected }))
        await settle()
      }
      await advanceTo(clock.nowMs() + 5000)
      for (const controller of controllers) controller.abort() // Ends stalled streams.
      await settle()
      await advanceTo(clock.nowMs() + 5000)
      for (const controller of controllers) controller.abort() // Ends stalled streams that waited for a slot.
      await settle()
      await Promise.all(responses)
      // A thread generates values for schemas, in real time.
      await vi.waitFor(() => expect(emulator.activeRequests()).toBe(0), WAIT_FOR_OPTIONS)
      expect(emulator.balance(emulator.keys.funded)?.heldUnits).toBe(0)
      // All slots are free again, and there are no more of them than before.
      emulator.reset()
      const last = await startRequests(
        emulator,
        Array.from({ length: slots + 1 }, () => ({})),
      )
      clock.advance(2 * SERVICE_MS)
      await Promise.all(last)
      expect(listWaits(emulator)).toEqual([...Array.from({ length: slots }, () => 0), SERVICE_MS])
      await emulator.close()
    },
  )
  await fc.assert(property, { numRuns: 20 })
})
