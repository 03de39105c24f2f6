/** Matches HTTP statuses. They are compared, not masked, because an example usually demonstrates them. */
const STATUS = /(?<=HTTP\/1\.1 |"status":|status |answered )[1-5]\d\d(?!\d)|^[1-5]\d\d$/g
const KEPT_FROM = 0xe000

const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, '<time>'],
  [/sk-svc-(?!touchstone-)[\w-]+/g, '<key>'],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/g, '<hash>'],
  [/\d[\d.,]*\s?m?s\b/g, '<n> s'],
  [/[+-]?\d+(?:[.,]\d+)*/g, '<n>'],
  [/\s+/g, ' '],
]

/** Masks the substrings of a line that differ between runs. */
function maskLine(line: string): string {
  // Replaces the digits of statuses with characters that occur in no text, so that the masks skip them.
  const kept = line.trim().replaceAll(STATUS, (status) => shifted(status, KEPT_FROM))
  const text = MASKS.reduce((rest, [pattern, word]) => rest.replaceAll(pattern, word), kept)
  return text.replaceAll(/[\ue030-\ue039]/g, (digit) => shifted(digit, -KEPT_FROM))
}

function shifted(text: string, by: number): string {
  return String.fromCharCode(...Array.from(text, (character) => character.charCodeAt(0) + by))
}

const GAP = '…'

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => maskLine(line))
    .filter((line) => line !== '')
}

/**
 * Compares the output of a command with the output that a page shows.
 * @returns the first line of the page that the output lacks, or undefined
 */
export function findMissingLine(shown: string, printed: string): string | undefined {
  const wanted = linesOf(shown)
  const actual = linesOf(printed)
  const reached = actual.map((_, start) => matchFrom(wanted, actual, start))
  const furthest = Math.max(0, ...reached)
  return furthest >= wanted.length ? undefined : wanted[furthest]
}

/** Returns the number of expected lines that match the actual lines from position `start` on. */
function matchFrom(wanted: readonly string[], actual: readonly string[], start: number): number {
  let at = start
  for (const [index, line] of wanted.entries()) {
    if (line === GAP) continue
    const isAfterGap = wanted[index - 1] === GAP
    while (isAfterGap && at < actual.length && !isShown(line, actual[at])) at += 1
    if (!isShown(line, actual[at])) return index
    at += 1
  }
  return wanted.length
}

/** Returns whether a line matches the expected line, in which `…` matches any text. */
function isShown(wanted: string, actual: string | undefined): boolean {
  const pattern = wanted.split(GAP).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
  return actual !== undefined && new RegExp(`^${pattern.join('.*')}$`).test(actual)
}
