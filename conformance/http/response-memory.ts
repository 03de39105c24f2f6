import { countGarbage } from './garbage.ts'
import { MAX_BODY_BYTES, MAX_RESERVED_BYTES, MAX_UNRESERVED_BYTES } from './memory-limits.ts'

/** Memory for large responses. They wait for each other, and fail if running checks hold all of the memory. */
export class ResponseMemory {
  #freeBytes = MAX_RESERVED_BYTES
  /** Number of large responses that are being read. Each has reserved the maximum size. */
  #reading = 0
  readonly #waiting: ((isGranted: boolean) => void)[] = []

  /** Returns the memory of a check's responses. The caller must dispose it when it no longer uses the responses. */
  createHolder(): MemoryHolder {
    return new MemoryHolder(this)
  }

  /** Reserves memory for a body of the maximum size. Resolves to whether there is enough memory. */
  reserve(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#waiting.push(resolve)
    this.#decide()
    return promise
  }

  /** Ends a reservation, and holds the actual size of the body. */
  settle(bodyBytes: number): void {
    this.#reading -= 1
    this.release(MAX_BODY_BYTES - bodyBytes)
  }

  release(bytes: number): void {
    this.#freeBytes += bytes
    this.#decide()
  }

  #decide(): void {
    while (this.#waiting.length > 0) {
      const isGranted = this.#freeBytes >= MAX_BODY_BYTES
      if (!isGranted && this.#reading > 0) return
      if (isGranted) {
        this.#freeBytes -= MAX_BODY_BYTES
        this.#reading += 1
      }
      this.#waiting.shift()?.(isGranted)
    }
  }
}

/** Memory of the large responses that one check holds. */
export class MemoryHolder {
  readonly #memory: ResponseMemory
  #heldBytes = 0
  #isDisposed = false

  constructor(memory: ResponseMemory) {
    this.#memory = memory
  }

  reserve(): Promise<boolean> {
    return this.#memory.reserve()
  }

  settle(bodyBytes: number): void {
    const keptBytes = this.#isDisposed ? 0 : bodyBytes
    this.#heldBytes += keptBytes
    this.#memory.settle(keptBytes)
  }

  [Symbol.dispose](): void {
    this.#memory.release(this.#heldBytes)
    this.#heldBytes = 0
    this.#isDisposed = true
  }
}

interface PausableStream {
  pause(): unknown
  resume(): unknown
}

/** Callbacks of a body that waits for memory. */
interface MemoryWait {
  /** Called before and after a wait, for example to suspend the deadlines of the request. */
  onWait?(): void
  onGrant?(): void
  onDeny(): void
}

/** Reserves memory for one body when it grows larger than `MAX_UNRESERVED_BYTES`. */
export class BodyReservation {
  readonly #holder: MemoryHolder
  #bodyBytes = 0
  #state: 'none' | 'waiting' | 'granted' | 'ended' = 'none'

  constructor(holder: MemoryHolder) {
    this.#holder = holder
  }

  /** Called after each piece of the body. Pauses the stream while the reservation waits for memory. */
  grow(bodyBytes: number, stream: PausableStream, { onWait, onGrant, onDeny }: MemoryWait): void {
    countGarbage(bodyBytes - this.#bodyBytes)
    this.#bodyBytes = bodyBytes
    if (this.#state !== 'none' || bodyBytes <= MAX_UNRESERVED_BYTES) return
    this.#state = 'waiting'
    stream.pause()
    onWait?.()
    void this.#holder.reserve().then((isGranted) => {
      if (this.#state === 'ended') {
        if (isGranted) this.#holder.settle(0)
        return
      }
      if (!isGranted) return onDeny()
      this.#state = 'granted'
      onGrant?.()
      stream.resume()
    })
  }

  /** Called when no more bytes follow. */
  end(bodyBytes: number): void {
    if (this.#state === 'granted') this.#holder.settle(Math.min(bodyBytes, MAX_BODY_BYTES))
    this.#state = 'ended'
  }
}
