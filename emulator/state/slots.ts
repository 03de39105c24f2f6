import type { Clock } from './clock.ts'

/** Limits the number of requests that the emulator serves at once. The others wait, first come, first served. */
export class Slots {
  /** Maximum number of requests in service. */
  readonly size: number
  readonly #maxWaiting: number
  readonly #clock: Clock
  /** Waiting requests in the order of their arrival. A set removes a request from the middle in constant time. */
  readonly #waiting = new Set<RequestSlot>()
  #busy = 0
  #isStarting = false
  #isStopped = false
  #releases = 0
  #totalServiceMs = 0

  constructor(clock: Clock, size: number, maxWaiting = Infinity) {
    this.#clock = clock
    this.size = size
    this.#maxWaiting = maxWaiting
  }

  get busy(): number {
    return this.#busy
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Returns true if all slots are busy and no further request may wait. */
  isFull(): boolean {
    return this.#busy >= this.size && this.#waiting.size >= this.#maxWaiting
  }

  /** Estimates the time until the next slot becomes free, in milliseconds: mean service time / number of slots. */
  estimateWaitMs(): number {
    return this.#releases === 0 ? 0 : this.#totalServiceMs / this.#releases / this.size
  }

  /**
   * Gives a slot to a request, or adds the request to the queue. In both cases, the caller must call `release`.
   * @param arrivedAtMs arrival time of the request on the monotonic clock, in milliseconds
   */
  enter(arrivedAtMs: number): RequestSlot {
    const nowMs = this.#clock.nowMs()
    const slot = new RequestSlot(this.#clock, arrivedAtMs, (serviceMs) => this.#remove(slot, serviceMs))
    if (this.#busy < this.size && this.#waiting.size === 0) {
      this.#busy += 1
      slot.start(nowMs, 0)
    } else {
      this.#waiting.add(slot)
    }
    return slot
  }

  /** Starts no further requests. A waiting request then ends only when its client disconnects. */
  stop(): void {
    this.#isStopped = true
  }

  /** Forgets earlier service times, so that estimates after a reset do not depend on earlier requests. */
  forgetServiceTimes(): void {
    this.#releases = 0
    this.#totalServiceMs = 0
  }

  /** @param serviceMs time in service; undefined if the request was still waiting */
  #remove(slot: RequestSlot, serviceMs: number | undefined): void {
    if (serviceMs === undefined) {
      this.#waiting.delete(slot)
      return
    }
    this.#busy -= 1
    this.#releases += 1
    this.#totalServiceMs += serviceMs
    this.#startWaiting()
  }

  /**
   * Starts waiting requests while slots are free. A request can end at its start and release its slot; the loop then
   * starts the next one, because recursion would exhaust the stack.
   */
  #startWaiting(): void {
    if (this.#isStarting) return
    this.#isStarting = true
    try {
      for (const slot of this.#waiting) {
        if (this.#isStopped || this.#busy >= this.size) return
        const nowMs = this.#clock.nowMs()
        this.#waiting.delete(slot)
        this.#busy += 1
        slot.start(nowMs, nowMs - slot.arrivedAtMs)
      }
    } finally {
      this.#isStarting = false
    }
  }
}

const NO_OPERATION = () => undefined

/** The slot of one request, or its place in the queue. */
export class RequestSlot {
  /**
   * Time from the arrival of the request to the start of its service, or to the release of a request that still waited,
   * in milliseconds. 0 for a request that got a slot at once.
   */
  queuedMs = 0
  /** Arrival time of the request on the monotonic clock, in milliseconds. */
  readonly arrivedAtMs: number
  readonly #clock: Clock
  readonly #onRelease: (serviceMs: number | undefined) => void
  #state: 'waiting' | 'in-service' | 'released' = 'waiting'
  #startedAtMs = 0
  #onStart: () => void = NO_OPERATION

  constructor(clock: Clock, arrivedAtMs: number, onRelease: (serviceMs: number | undefined) => void) {
    this.#clock = clock
    this.arrivedAtMs = arrivedAtMs
    this.#onRelease = onRelease
  }

  isWaiting(): boolean {
    return this.#state === 'waiting'
  }

  /** Sets the listener that runs, synchronously, when the service starts. It must not throw. */
  onStart(listener: () => void): void {
    this.#onStart = listener
  }

  /** Starts the service. Only `Slots` calls this method. */
  start(nowMs: number, queuedMs: number): void {
    this.#startedAtMs = nowMs
    this.queuedMs = queuedMs
    this.#state = 'in-service'
    this.#onStart()
  }

  /** Gives the slot back, or leaves the queue. Only the first call has an effect. */
  release(): void {
    const state = this.#state
    if (state === 'released') return
    const nowMs = this.#clock.nowMs()
    this.#state = 'released'
    this.#onStart = NO_OPERATION
    if (state === 'waiting') this.queuedMs = nowMs - this.arrivedAtMs
    this.#onRelease(state === 'waiting' ? undefined : nowMs - this.#startedAtMs)
  }
}
