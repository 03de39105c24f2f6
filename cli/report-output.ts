import { wrapReport } from './wrap-text.ts'

/** Returns whether a report on standard output has colours. */
export function hasColor(): boolean {
  return process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === ''
}

/** Prints the text of a report, wrapped to the width of a terminal. */
export function printReport(text: string): void {
  process.stdout.write(wrapReport(text))
}
