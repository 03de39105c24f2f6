/** What the emulator recorded of one answer: milliseconds since the request came in. */
export interface RecordedAnswer {
  readonly requestId: string
  readonly writtenMs: readonly number[]
}

const PATIENCE_MS = 30_000
const PAGE = 1000

/** True when the emulator answers at a target, and may be asked about what it did. */
export async function isEmulator(target: string): Promise<boolean> {
  const health = await ask(target, '/health').catch(() => undefined)
  return isRecord(health) && health['status'] === 'ok'
}

/** When each event of the remembered answers was written. @throws when the emulator does not tell */
export async function readTimings(target: string): Promise<RecordedAnswer[]> {
  const page = await ask(target, '/timing/answers')
  // The emulator's own shape, documented with its control interface.
  return (page as { answers: RecordedAnswer[] }).answers
}

/** SHA-256 of the bodies of remembered answers, by request id; empty where the emulator was not asked to keep them. */
export async function readDigests(target: string): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>()
  let after: number | null = 0
  while (after !== null) {
    // As above.
    const page = (await ask(target, `/journal?limit=${PAGE}&after=${after}`)) as JournalPage
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

/** What the account of a key can spend, as a decimal string; undefined when the emulator does not know it. */
export async function readBalance(target: string, key: string): Promise<string | undefined> {
  const balance = await ask(target, '/balance', { authorization: `Bearer ${key}` }).catch(() => undefined)
  return isRecord(balance) && typeof balance['credits'] === 'string' ? balance['credits'] : undefined
}

/** Waits until nothing is being answered any more, so that all holds are settled; gives up after some seconds. */
export async function waitUntilIdle(target: string): Promise<void> {
  const untilMs = performance.now() + PATIENCE_MS
  while (performance.now() < untilMs) {
    const health = await ask(target, '/health').catch(() => undefined)
    if (!isRecord(health) || health['inFlight'] === 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function ask(target: string, path: string, headers: Record<string, string> = {}): Promise<unknown> {
  const answer = await fetch(`${target}/__emulator${path}`, {
    headers,
    redirect: 'error', // a target that is no emulator may point elsewhere
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  if (!answer.ok) throw new Error(`the emulator answered ${path} with ${answer.status}`)
  return answer.json()
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
