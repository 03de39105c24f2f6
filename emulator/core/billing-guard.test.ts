import { beforeEach, expect, test, vi } from 'vitest'
import { createInstance, type EmulatorInstance } from '../instance.ts'
import type { GeneratedResponse } from '../operations/operation.ts'
import { createVirtualClock } from '../state/clock.ts'
import { createLatencyProfile, createFixedDelay } from '../state/latency.ts'
import { handleRequest } from './handle-request.ts'
import type { IncomingRequest } from './request-context.ts'
import type { ResponseWriter } from './response-writer.ts'
import type { CoreServices } from './services.ts'

const CHAT: IncomingRequest = {
  method: 'POST',
  target: '/v1/chat/completions',
  headers: { authorization: 'Bearer sk-svc-touchstone-funded', 'content-type': 'application/json' },
  baseUrl: 'http://emulator.test',
  readBody: () => Buffer.from('{"model":"vendora-v4-flash","messages":[{"role":"user","content":"Hello."}]}'),
}

const USED_TOKENS = 12
const UNITS_PER_TOKEN = 4
const WHOLE: GeneratedResponse = { contentType: 'application/json', body: '{}', usedTokens: USED_TOKENS, lastToken: 3 }
const STREAM: GeneratedResponse = {
  frameCount: 4,
  contentStart: 0,
  contentEnd: 4,
  frame: (index) => `data: ${index}\n\n`,
  getTokenIndex: (index) => index,
  usedTokensAfter: (framesSent) => framesSent * (USED_TOKENS / 4),
  reasoningTokensAfter: () => 0,
}

class MemoryWriter implements ResponseWriter {
  status: number | undefined
  /** State of the response. `disconnected` means that the client closed the connection. */
  outcome: 'open' | 'complete' | 'aborted' | 'disconnected' = 'open'
  writes = 0
  readonly #disconnectsAfter: number
  #onClose: (() => void)[] = []

  constructor(disconnectsAfter = Infinity) {
    this.#disconnectsAfter = disconnectsAfter
  }

  start(status: number): void {
    if (this.status !== undefined) throw new Error('the response has started')
    this.status = status
  }

  write(): boolean {
    this.writes += 1
    if (this.writes >= this.#disconnectsAfter) this.close('disconnected')
    return true
  }

  end(): void {
    this.close('complete')
  }

  abort(): void {
    this.close('aborted')
  }

  abortAfterFlush(): void {
    this.close('aborted')
  }

  abortInHead(): void {
    this.close('aborted')
  }

  isClosed(): boolean {
    return this.outcome !== 'open'
  }

  onDrain(): void {
    // The send buffer of this client is never full.
  }

  onClose(listener: () => void): void {
    this.#onClose.push(listener)
  }

  close(end: 'complete' | 'aborted' | 'disconnected'): void {
    if (this.outcome !== 'open') return
    this.outcome = end
    for (const listener of this.#onClose) listener()
  }
}

/** Wraps objects so that exactly one of their method calls throws. */
class ExceptionInjector {
  calls = 0
  readonly #throwsAt: number

  constructor(throwsAt: number) {
    this.#throwsAt = throwsAt
  }

  wrap<Target extends object>(target: Target): Target {
    return new Proxy(target, {
      get: (_target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]): unknown => {
          this.calls += 1
          if (this.calls === this.#throwsAt) throw new Error(`thrown instead of ${String(name)}`)
          return Reflect.apply(value, target, args)
        }
      },
    })
  }
}

function serve(
  instance: EmulatorInstance,
  content: GeneratedResponse,
  injector: ExceptionInjector,
  writer: ResponseWriter,
) {
  const script = { kind: 'content', content: injector.wrap(content), headers: {} } as const
  const core: CoreServices = {
    ...instance,
    clock: injector.wrap(instance.clock),
    scheduler: injector.wrap(instance.scheduler),
    authenticator: injector.wrap(instance.authenticator),
    requestCounter: injector.wrap(instance.requestCounter),
    observer: injector.wrap({
      onRequest: (request: Parameters<typeof instance.observer.onRequest>[0]) =>
        injector.wrap(instance.observer.onRequest(request)),
    }),
    slots: instance.slots && injector.wrap(instance.slots),
    faults: injector.wrap(instance.faults),
    scripts: injector.wrap({ find: () => script }),
  }
  return handleRequest(injector.wrap(CHAT), injector.wrap(writer), core)
}

function balanceOf({ accounts }: EmulatorInstance) {
  const { heldUnits, chargedUnits } = accounts.findByKey('sk-svc-touchstone-funded')?.ledger.balance() ?? {}
  const kinds = [...accounts.ledgerLog.entries()].map(({ kind }) => kind)
  const holds = kinds.filter((kind) => kind === 'hold').length
  return { heldUnits, chargedUnits, holds, ends: kinds.length - holds }
}

const PACED = { latency: createLatencyProfile(createFixedDelay(1), createFixedDelay(1), createFixedDelay(1)) }

beforeEach(() => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true) // The emulator writes each exception to stderr.
  return () => vi.restoreAllMocks()
})

test.each([
  ['a whole response', WHOLE, {}],
  ['a whole response with latency', WHOLE, PACED],
  ['a stream', STREAM, {}],
  ['a stream with latency', STREAM, PACED],
  ['a fault', WHOLE, { faults: ['cutAfterBytes=1'] }],
  ['a stream with a fault', STREAM, { faults: ['errorAfterEvents=2'] }],
  ['a whole response with a slot', WHOLE, { ...PACED, slots: 1 }],
  ['a stream with a slot', STREAM, { ...PACED, slots: 1 }],
  ['a response lost in its head', WHOLE, { faults: ['loseAt=in-head'] }],
  ['a stream lost in its head', STREAM, { faults: ['loseAt=in-head'] }],
  ['a stream lost in its body', STREAM, { faults: ['loseAt=in-body'] }],
  ['a stream lost after its charge', STREAM, { ...PACED, faults: ['loseAt=after-charge'] }],
])(
  'releases the hold and charges at most once wherever an exception interrupts %s',
  async (_name, content, options) => {
    let points = 0
    for (let isDone = false; !isDone; points += 1) {
      const instance = createInstance(options)
      const injector = new ExceptionInjector(points + 1)
      const writer = new MemoryWriter()
      await serve(instance, content, injector, writer)
      isDone = injector.calls <= points
      const { heldUnits, chargedUnits = Number.NaN, holds, ends } = balanceOf(instance)
      const point = { point: points + 1, status: writer.status }
      expect({ ...point, heldUnits, openHolds: holds - ends }).toEqual({ ...point, heldUnits: 0, openHolds: 0 })
      expect(chargedUnits).toBeLessThanOrEqual(USED_TOKENS * UNITS_PER_TOKEN)
      if (writer.status === 500) expect({ ...point, chargedUnits }).toEqual({ ...point, chargedUnits: 0 })
      expect(instance.load.inFlight).toBe(0)
      expect({ ...point, busy: instance.slots?.busy ?? 0 }).toEqual({ ...point, busy: 0 })
    }
    expect(points).toBeGreaterThan(15) // Fails if the test interrupted too few calls to be meaningful.
  },
)

test.each([
  ['a whole response', WHOLE],
  ['a stream', STREAM],
])('responds with 500 and charges nothing when the header fields of %s are rejected', async (_name, content) => {
  const instance = createInstance({})
  const writer = new MemoryWriter()
  vi.spyOn(writer, 'start').mockImplementationOnce(() => {
    throw new TypeError('a header value is outside Latin-1')
  })
  await serve(instance, content, new ExceptionInjector(0), writer)
  expect(writer).toMatchObject({ status: 500, outcome: 'complete' })
  expect(balanceOf(instance)).toEqual({ heldUnits: 0, chargedUnits: 0, holds: 1, ends: 1 })
})

test('charges the tokens already written when the client aborts a stream', async () => {
  const clock = createVirtualClock() // With a virtual clock, the emulator never joins frames that have different due times.
  const instance = createInstance({ ...PACED, clock })
  const handled = serve(instance, STREAM, new ExceptionInjector(0), new MemoryWriter(2))
  for (let step = 0; step < 10; step += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(1)
  }
  await handled
  const chargedUnits = 2 * (USED_TOKENS / 4) * UNITS_PER_TOKEN
  expect(balanceOf(instance)).toEqual({ heldUnits: 0, chargedUnits, holds: 1, ends: 1 })
})

// The prompt has 6 tokens. The first token is due after 1 ms, the last one after 4 ms.
test.each([
  ['due', 0, 6],
  ['due', 1, 7],
  ['due', 2, 9],
  ['due', 3, 10],
  ['due', 4, USED_TOKENS],
  ['all', 0, USED_TOKENS],
  ['none', 3, 0],
  ['none', 4, USED_TOKENS],
] as const)(
  'with unstreamed-abort-bill=%s, charges a client that disconnects after %d ms for %d tokens',
  async (rule, elapsedMs, tokens) => {
    const clock = createVirtualClock()
    const instance = createInstance({ ...PACED, clock, options: { 'unstreamed-abort-bill': rule } })
    const writer = new MemoryWriter()
    const handled = serve(instance, WHOLE, new ExceptionInjector(0), writer)
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(elapsedMs)
    writer.close('disconnected')
    await handled
    expect(balanceOf(instance)).toEqual({ heldUnits: 0, chargedUnits: tokens * UNITS_PER_TOKEN, holds: 1, ends: 1 })
  },
)
