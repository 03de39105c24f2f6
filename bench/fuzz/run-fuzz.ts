import { generateCases } from './generate-cases.ts'
import { sendCase } from './send-case.ts'
import { checkCase } from './check-case.ts'

export interface FuzzOptions {
  readonly port: number
  readonly seed: number
  readonly first: number
  /** Index after the last case. */
  readonly end: number
  /** Called after each round with the number of finished cases. */
  onRound?(done: number): void
}

export interface FuzzResult {
  readonly kinds: Readonly<Record<string, number>>
  readonly statuses: Readonly<Record<string, number>>
  readonly failures: readonly { readonly number: number; readonly failure: string }[]
}

const ROUND = 1000
const AT_ONCE = 32
/** Number of failures after which the run stops, because one defect may cause thousands. */
const MAX_FAILURES = 20

/** Sends fuzz cases to the emulator on a port, 32 of them concurrently, and checks the responses. */
export async function runFuzz({ port, seed, first, end, onRound }: FuzzOptions): Promise<FuzzResult> {
  const kinds: Record<string, number> = {}
  const statuses: Record<string, number> = {}
  const failures: { number: number; failure: string }[] = []
  for (let from = first; from < end && failures.length < MAX_FAILURES; from += ROUND) {
    const cases = generateCases(seed, from, Math.min(from + ROUND, end))
    let next = 0
    const worker = async () => {
      for (let number = next++; number < cases.length; number = next++) {
        const played = cases[number]
        if (played === undefined) return
        const result = checkCase(played, await sendCase(port, played))
        kinds[played.kind] = (kinds[played.kind] ?? 0) + 1
        for (const status of result.statuses) statuses[status] = (statuses[status] ?? 0) + 1
        if (result.failure !== undefined) failures.push({ number: from + number, failure: result.failure })
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    onRound?.(from - first + cases.length)
  }
  return { kinds, statuses, failures }
}
