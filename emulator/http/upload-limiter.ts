/** A request body that is being received. */
interface Upload {
  pause(): unknown
  resume(): unknown
}

/** Maximum size of all request bodies that the server is receiving, in bytes. Small bodies can exceed it. */
const MAX_RECEIVED_BYTES = 128 * 1024 * 1024
/** Size up to which a body never waits for others, in bytes. */
const MAX_SMALL_BYTES = 256 * 1024

/**
 * Limits the memory for request bodies that have not arrived completely. Above the limit, the server receives only the
 * oldest body and small bodies, so that the large bodies of many clients arrive one after another.
 */
export class UploadLimiter {
  readonly #maxBytes: number
  readonly #maxSmallBytes: number
  /** Number of received bytes by upload, oldest first. */
  readonly #uploads = new Map<Upload, number>()
  #bytes = 0

  constructor(maxBytes = MAX_RECEIVED_BYTES, maxSmallBytes = MAX_SMALL_BYTES) {
    this.#maxBytes = maxBytes
    this.#maxSmallBytes = maxSmallBytes
  }

  /** Counts received bytes. Pauses the upload if it has to wait for older ones. */
  add(upload: Upload, bytes: number): void {
    const received = (this.#uploads.get(upload) ?? 0) + bytes
    this.#uploads.set(upload, received)
    this.#bytes += bytes
    if (this.#bytes <= this.#maxBytes || received <= this.#maxSmallBytes) return
    const [oldest] = this.#uploads.keys()
    if (upload !== oldest) upload.pause()
  }

  /** Must be called when an upload is complete, rejected or aborted. */
  remove(upload: Upload): void {
    this.#bytes -= this.#uploads.get(upload) ?? 0
    this.#uploads.delete(upload)
    for (const other of this.#uploads.keys()) {
      other.resume()
      if (this.#bytes > this.#maxBytes) return
    }
  }
}
