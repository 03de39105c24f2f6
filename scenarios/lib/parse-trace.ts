import { toJsonObject } from '../../common/json-object.ts'
import { tryToParseJson } from '../../common/parse-json.ts'

/**
 * Start times of requests in ascending order, in milliseconds since the start of the plan. A trace also has the token
 * counts of each request.
 */
export interface ArrivalTimes {
  readonly atMs: readonly number[]
  readonly promptTokens?: readonly number[]
  readonly outputTokens?: readonly number[]
}

/** Upper bounds of the numbers in a trace: 31 days, and more tokens than any model accepts. */
const MAX_VALUES = { atMs: 31 * 86_400_000, promptTokens: 10_000_000, outputTokens: 10_000_000 }

/**
 * Parses a trace: lines of JSON such as `{"atMs": 1500, "promptTokens": 120, "outputTokens": 80}`, in ascending order
 * of `atMs`. Skips blank lines.
 * @throws Error with one sentence that names the invalid line
 */
export function parseTrace(text: string): Required<ArrivalTimes> {
  const atMs: number[] = []
  const promptTokens: number[] = []
  const outputTokens: number[] = []
  // Some editors write a byte order mark at the start of the file.
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    const entry = toJsonObject(tryToParseJson(line))
    const place = `The trace's line ${at + 1}`
    atMs.push(read(entry, 'atMs', place, 0))
    promptTokens.push(Math.round(read(entry, 'promptTokens', place, 0)))
    outputTokens.push(Math.round(read(entry, 'outputTokens', place, 1)))
    if ((atMs.at(-1) ?? 0) < (atMs.at(-2) ?? 0)) {
      throw new Error(`${place} is earlier than the previous line. Sort the trace by atMs.`)
    }
  }
  if (atMs.length === 0) throw new Error('The trace has no lines: it needs one of JSON for each request.')
  return { atMs, promptTokens, outputTokens }
}

function read(
  entry: Readonly<Record<string, unknown>>,
  name: keyof typeof MAX_VALUES,
  place: string,
  least: number,
): number {
  const value = entry[name]
  if (typeof value !== 'number' || !Number.isFinite(value) || value < least || value > MAX_VALUES[name]) {
    throw new Error(
      `${place} has no ${name} from ${least} to ${MAX_VALUES[name]}: it should look like {"atMs": 1500, "promptTokens": 120, "outputTokens": 80}.`,
    )
  }
  return value
}
