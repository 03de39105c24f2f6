/** Formats a number with its noun: `1 check`, `2 checks`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Formats a number with its noun in the plural: `2 parallel streams`, `1 request per second`. */
export function formatPlural(count: number, plural: string): string {
  return `${count} ${count === 1 ? plural.replace(/s\b/, '') : plural}`
}
