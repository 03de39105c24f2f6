/** Formats a number with its noun: `1 check`, `2 checks`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
