import { casesOf } from './cases.ts'
import { exchange } from './exchange.ts'
import { judge } from './judge.ts'

/** Which cases, and where to. */
export interface FuzzOptions {
  readonly port: number
  readonly seed: number
  readonly first: number
  /** Before this number. */
  readonly end: number
  /** Told after each round of cases how many are done. */
  onRound?(done: number): void
}

/** What came of them. */
export interface Fuzzed {
  /** Of `sound` cases, and of the others. */
  readonly kinds: Readonly<Record<string, number>>
  readonly statuses: Readonly<Record<string, number>>
  readonly faults: readonly { readonly number: number; readonly fault: string }[]
}

const ROUND = 1000
const AT_ONCE = 32
/** One defect may show thousands of times. */
const MOST_FAULTS = 20

/** Plays cases against an emulator, many at once. */
export async function runFuzz({ port, seed, first, end, onRound }: FuzzOptions): Promise<Fuzzed> {
  const kinds: Record<string, number> = {}
  const statuses: Record<string, number> = {}
  const faults: { number: number; fault: string }[] = []
  for (let from = first; from < end && faults.length < MOST_FAULTS; from += ROUND) {
    const cases = casesOf(seed, from, Math.min(from + ROUND, end))
    let next = 0
    const worker = async () => {
      for (let number = next++; number < cases.length; number = next++) {
        const played = cases[number]
        if (played === undefined) return
        const judgement = judge(played, await exchange(port, played))
        kinds[played.kind] = (kinds[played.kind] ?? 0) + 1
        for (const status of judgement.statuses) statuses[status] = (statuses[status] ?? 0) + 1
        if (judgement.fault !== undefined) faults.push({ number: from + number, fault: judgement.fault })
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    onRound?.(from - first + cases.length)
  }
  return { kinds, statuses, faults }
}
