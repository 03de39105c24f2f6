import { SECTION_KEYWORDS } from '../../contract/sections.ts'

/** Maximum edit distance of a suggestion, as a fraction of the length of the longer word. */
const MAX_DISTANCE_SHARE = 0.4

/** Returns the ID or section that is most similar to an unknown selector, if one is similar enough. */
export function suggestSelector(selector: string, ids: readonly string[]): string | undefined {
  const word = selector.toLowerCase()
  const ranked = [...new Set([...ids, ...SECTION_KEYWORDS])]
    .map((candidate) => ({ candidate, score: scoreOf(word, candidate) }))
    .filter(({ score }) => score <= MAX_DISTANCE_SHARE)
    .toSorted((a, b) => a.score - b.score)
  return ranked[0]?.candidate
}

/** Returns a distance from 0 to 1, which is smaller if one word starts with the other, or follows its `/`. */
function scoreOf(word: string, candidate: string): number {
  const length = Math.max(word.length, candidate.length)
  const isPart = word.length >= 4 && (candidate.startsWith(word) || candidate.endsWith(`/${word}`))
  if (isPart) return 0.1
  const distance = editDistance(word, candidate) / length
  // `chatstream` and `chat-stream`, which are names in load tests, suggest `chat`.
  return candidate.length >= 4 && word.startsWith(candidate) ? Math.min(distance, 0.35) : distance
}

/** Returns the number of insertions, deletions and substitutions that turn `a` into `b` (Levenshtein distance). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substituted))
    }
    row = next
  }
  return row[b.length] ?? 0
}
