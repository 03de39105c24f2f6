/** Times at which the emulator wrote the events of a response, in milliseconds since it received the request. */
export interface RecordedResponse {
  readonly requestId: string
  readonly writtenMs: readonly number[]
}

const TIMEOUT_MS = 30_000
const PAGE_SIZE = 1000

/** Returns whether a target is an emulator with a usable control API. */
export async function isEmulator(target: string): Promise<boolean> {
  const health = await get(target, '/health').catch(() => undefined)
  return isRecord(health) && health['status'] === 'ok'
}

/**
 * Reads the recorded times of all responses.
 * @throws Error if the emulator rejects the request
 */
export async function readTimings(target: string): Promise<RecordedResponse[]> {
  const page = await get(target, '/timing/answers')
  // The cast is safe: the control API documents this shape.
  return (page as { answers: RecordedResponse[] }).answers
}

/** Reads the SHA-256 digests of response bodies by request ID; empty if the emulator does not record them. */
export async function readDigests(target: string): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>()
  let after: number | null = 0
  while (after !== null) {
    // The cast is safe: the control API documents this shape.
    const page = (await get(target, `/journal?limit=${PAGE_SIZE}&after=${after}`)) as JournalPage
    for (const { id, bodySha256 } of page.entries) {
      if (bodySha256 !== undefined) digests.set(id, bodySha256)
    }
    after = page.next
  }
  return digests
}

interface JournalPage {
  readonly entries: readonly { readonly id: string; readonly bodySha256?: string }[]
  readonly next: number | null
}

/**
 * Reads the balance of the account that a key belongs to, as a decimal string. Returns undefined for an unknown key.
 */
export async function readBalance(target: string, key: string): Promise<string | undefined> {
  const balance = await get(target, '/balance', { authorization: `Bearer ${key}` }).catch(() => undefined)
  return isRecord(balance) && typeof balance['credits'] === 'string' ? balance['credits'] : undefined
}

/** Waits up to 30 seconds until no request is in flight, so that all holds are settled. */
export async function waitUntilIdle(target: string): Promise<void> {
  const untilMs = performance.now() + TIMEOUT_MS
  while (performance.now() < untilMs) {
    const health = await get(target, '/health').catch(() => undefined)
    if (!isRecord(health) || health['inFlight'] === 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function get(target: string, path: string, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(`${target}/__emulator${path}`, {
    headers,
    redirect: 'error', // A target that is not an emulator may redirect to another host.
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!response.ok) throw new Error(`the emulator answered ${path} with ${response.status}`)
  return response.json()
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
