import { setImmediate, setTimeout } from 'node:timers/promises'
import { MODELS, OPERATIONS, UNITS_PER_CREDIT } from '../../../contract/facts.ts'
import { createEmulator, type InProcessEmulator } from '../../../emulator/create-emulator.ts'
import {
  createVirtualClock,
  readOptions,
  startEmulator,
  type Emulator,
  type EmulatorOptions,
} from '../../../emulator/start-emulator.ts'
import type { ClockCase, ClockRequest, ClockStep } from './random-cases.ts'

const TRANSPORTS = ['in process', 'fast path', 'Node server'] as const
type Transport = (typeof TRANSPORTS)[number]

/** Maximum time until the emulator and its clients agree on the requests in progress, in milliseconds. */
const MAX_WAIT_MS = 30_000
/** Advances after the last step. The last one is longer than any random delay. */
const LAST_ADVANCES_MS = [1, 1e3, 1e6, 1e9, 1e12, 1e15]
/** Number of bytes after which a client disconnects from a stream that never ends. */
const MAX_READ_BYTES = 20_000
const [{ id: MODEL, creditsPerToken }] = MODELS
const UNITS_PER_TOKEN = Math.round(Number(creditsPerToken) * UNITS_PER_CREDIT)
const PATHS = {
  chat: OPERATIONS.chat.path,
  stream: OPERATIONS.chat.path,
  models: OPERATIONS.models.path,
  responses: '/v1/responses',
} as const satisfies Record<ClockRequest['operation'], string>

/**
 * Runs a case in process, through the fast path and through Node's HTTP server. Checks that every advance returns, that
 * every response is written when it is due, that the ledger is exact, and that the three request logs are equal.
 * @returns a description of the first error, or undefined
 */
export async function runClockCase(tested: ClockCase): Promise<string | undefined> {
  await (extensionLoaded ??= loadExtension())
  const logs: string[] = []
  for (const transport of TRANSPORTS) {
    try {
      logs.push(await new CaseRun(tested, transport).run())
    } catch (error) {
      return `${transport}: ${error instanceof Error ? error.message : String(error)}`
    }
  }
  const [first = ''] = logs
  const different = dependsOnSpeed(tested) ? -1 : logs.findIndex((log) => log !== first)
  return different === -1 ? undefined : `${TRANSPORTS[different]}: ${logs[different]} differs from ${first}`
}

let extensionLoaded: Promise<void> | undefined

/** Makes the emulator load the code of the extension. The first request would otherwise be validated late. */
async function loadExtension(): Promise<void> {
  const emulator = createEmulator({ extensions: ['responses'] })
  const { baseURL, apiKey, fetch = globalThis.fetch } = emulator.clientOptions()
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify(buildBody('responses'))
  await fetch(`${baseURL}/responses`, { method: 'POST', headers, body }).then((response) => response.text())
}

/**
 * Returns true if times differ from run to run: with a started clock, and with a stream that never ends. Such a stream
 * pauses during a long advance, until its client has read the data in the buffers.
 */
function dependsOnSpeed({ steps }: ClockCase): boolean {
  return steps.some(
    (step) => step.kind === 'run' || step.kind === 'start' || (step.kind === 'request' && step.fault === 'neverEnds'),
  )
}

interface OpenRequest {
  readonly key: string
  readonly controller: AbortController
  /** True if a fault keeps the response open until the client disconnects. */
  readonly isEndless: boolean
}

interface Timing {
  readonly requestId: string
  readonly plannedMs: readonly number[]
  readonly writtenMs: readonly number[]
}

class CaseRun {
  readonly #case: ClockCase
  readonly #transport: Transport
  readonly #clock = createVirtualClock()
  readonly #open = new Set<OpenRequest>()
  /** Charges since the last reset, in units, by key. They are a lower bound for the keys in `#changed`. */
  readonly #units = new Map<string, number>()
  /** Keys of requests that a fault changed, or whose client disconnected. */
  readonly #changed = new Set<string>()
  #resets = 0

  constructor(tested: ClockCase, transport: Transport) {
    this.#case = tested
    this.#transport = transport
  }

  /** Runs the case. Returns the request log as text. */
  async run(): Promise<string> {
    const { latency, answerTokens, steps } = this.#case
    const options: EmulatorOptions = {
      ...readOptions([['latency', latency]]),
      clock: this.#clock,
      answerTokens,
      allowFaultHeader: true,
      extensions: ['responses'],
    }
    await using emulator =
      this.#transport === 'in process'
        ? createEmulator(options)
        : await startEmulator({ ...options, fastPath: this.#transport === 'fast path' ? 'on' : 'off' })
    for (const step of steps) {
      await this.#take(step, emulator)
      await this.#waitUntilSettled(emulator)
    }
    this.#clock.freeze()
    for (const ms of LAST_ADVANCES_MS) {
      this.#clock.advance(ms)
      await this.#waitUntilSettled(emulator)
    }
    const unfinished = [...this.#open].filter(({ isEndless }) => !isEndless)
    if (unfinished.length > 0) throw new Error(`${unfinished.length} responses have not ended`)
    for (const { controller } of this.#open) controller.abort()
    await this.#waitUntilSettled(emulator)
    this.#checkLedger(emulator)
    if ('url' in emulator) await this.#checkTimes(emulator)
    const entries = emulator
      .requests()
      .toSorted((one, other) => one.atMs - other.atMs || one.id.localeCompare(other.id))
    return entries
      .map(({ id, atMs, status, tokens, charged, ttftMs, totalMs }) =>
        [id, atMs, status, tokens, charged, ttftMs, totalMs].join(' '),
      )
      .join('; ')
  }

  async #take(step: ClockStep, emulator: Emulator | InProcessEmulator): Promise<void> {
    const clock = this.#clock
    if (step.kind === 'request') void this.#send(step, emulator)
    else if (step.kind === 'advance') await this.#advance(step.ms, emulator)
    else if (step.kind === 'reset') this.#reset(emulator)
    else if (step.kind === 'disconnect') this.#disconnect(step.which)
    else if (step.kind === 'freeze') clock.freeze()
    else clock.run()
    if (step.kind !== 'run') return
    await setTimeout(1)
    clock.freeze()
  }

  /** Sends a request and reads its response. Never rejects. */
  async #send({ operation, account, fault }: ClockRequest, emulator: Emulator | InProcessEmulator): Promise<void> {
    const key = emulator.keys[account]
    const controller = new AbortController()
    const isEndless = fault === 'neverEnds' || fault === 'stallAfterEvents=2'
    const open = { key, controller, isEndless }
    this.#open.add(open)
    if (fault !== undefined) this.#changed.add(key)
    const resets = this.#resets
    const { baseURL, fetch = globalThis.fetch } = emulator.clientOptions(key)
    try {
      const response = await fetch(new URL(PATHS[operation], baseURL), {
        method: operation === 'models' ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          ...(fault === undefined ? {} : { 'x-touchstone-fault': fault }),
        },
        ...(operation === 'models' ? {} : { body: JSON.stringify(buildBody(operation)) }),
        signal: controller.signal,
      })
      const text = await readText(response, isEndless ? MAX_READ_BYTES : Infinity)
      const tokens = Number(/"total_tokens":(\d+)/.exec(text)?.[1] ?? 0)
      if (resets === this.#resets) this.#units.set(key, (this.#units.get(key) ?? 0) + tokens * UNITS_PER_TOKEN)
    } catch {
      // A fault ended the connection, or the client has disconnected.
    }
    this.#open.delete(open)
  }

  async #advance(ms: number, emulator: Emulator | InProcessEmulator): Promise<void> {
    const clock = this.#clock
    const fromMs = clock.nowMs()
    if (this.#transport === 'fast path' && 'url' in emulator) {
      const { ok, status } = await fetch(`${emulator.url}/__emulator/clock`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ advanceMs: ms }),
      })
      if (!ok) throw new Error(`the advance by ${ms} ms returned ${status}`)
    } else clock.advance(ms)
    const nowMs = clock.nowMs()
    const isRight = clock.isRunning() ? nowMs >= fromMs + ms : nowMs === fromMs + ms
    if (!isRight) throw new Error(`an advance by ${ms} ms moved the clock from ${fromMs} to ${nowMs}`)
  }

  #reset(emulator: Emulator | InProcessEmulator): void {
    emulator.reset()
    this.#resets += 1
    this.#units.clear()
    this.#changed.clear()
  }

  #disconnect(which: number): void {
    const open = [...this.#open]
    const left = open[which % open.length]
    if (left === undefined) return
    this.#changed.add(left.key)
    left.controller.abort()
  }

  /** Waits until the emulator has received every request, and every client the end of its response. */
  async #waitUntilSettled(emulator: Emulator | InProcessEmulator): Promise<void> {
    const startMs = performance.now()
    while (emulator.activeRequests() !== this.#open.size) {
      if (performance.now() - startMs > MAX_WAIT_MS)
        throw new Error(
          `${emulator.activeRequests()} requests are in progress, and clients wait for ${this.#open.size}`,
        )
      await setImmediate()
    }
    // The emulator reads and validates a request body in the turns after it has received the head.
    for (let turn = 0; turn < 3; turn += 1) await setImmediate()
  }

  #checkLedger(emulator: Emulator | InProcessEmulator): void {
    for (const [account, key] of Object.entries(emulator.keys)) {
      const { startUnits = 0, availableUnits, heldUnits, chargedUnits = Number.NaN } = emulator.balance(key) ?? {}
      const units = this.#units.get(key) ?? 0
      const isExact = this.#changed.has(key) ? chargedUnits >= units : chargedUnits === units
      if (isExact && heldUnits === 0 && availableUnits === startUnits - chargedUnits) continue
      const balance = JSON.stringify(emulator.balance(key))
      throw new Error(`the responses cost ${account} ${units} units, but its balance is ${balance}`)
    }
  }

  async #checkTimes(emulator: Emulator): Promise<void> {
    const response = await fetch(`${emulator.url}/__emulator/timing/responses`)
    // The cast is safe: the control API documents this shape.
    const { responses } = (await response.json()) as { responses: Timing[] }
    const disconnected = new Set(emulator.requests().flatMap(({ id, clientLeft }) => (clientLeft ? [id] : [])))
    const isExact = !dependsOnSpeed(this.#case)
    for (const { requestId, plannedMs, writtenMs } of responses) {
      if (disconnected.has(requestId)) continue
      for (const [index, planned] of plannedMs.entries()) {
        const lateMs = (writtenMs[index] ?? Number.NaN) - planned
        // The timing log has single precision, and durations are differences of times on the clock.
        const toleranceMs = 2e-3 + planned * 2 ** -22 + this.#clock.nowMs() * 2 ** -51
        if (Math.abs(lateMs) <= toleranceMs || (lateMs > 0 && !isExact)) continue
        throw new Error(`an event was due after ${planned} ms, and was written ${lateMs} ms late`)
      }
    }
  }
}

function buildBody(operation: Exclude<ClockRequest['operation'], 'models'>): object {
  switch (operation) {
    case 'responses':
      return { model: MODEL, input: 'Go.', stream: true }
    case 'chat':
    case 'stream': {
      const stream = operation === 'stream' ? { stream: true, stream_options: { include_usage: true } } : {}
      return { model: MODEL, messages: [{ role: 'user', content: 'Go.' }], ...stream }
    }
  }
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > maxBytes) break // Disconnects.
  }
  return Buffer.concat(chunks).toString()
}
