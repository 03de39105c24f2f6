import { readSpecText } from '../contract/spec-text.ts'

export interface SpecLine {
  /** Line number, starting at 1. */
  readonly number: number
  /** Section that contains the line; `0` before the first section. */
  readonly section: string
  readonly text: string
}

let knownLines: readonly SpecLine[] | undefined

export function listSpecLines(): readonly SpecLine[] {
  knownLines ??= parseLines(readSpecText())
  return knownLines
}

function parseLines(text: string): SpecLine[] {
  let section = '0'
  return text.split('\n').map((line, index) => {
    section = /^#{2,3} (\d+(?:\.\d+)?)/.exec(line)?.[1] ?? section
    return { number: index + 1, section, text: line }
  })
}

/** Returns the line that contains a quotation, preferably in the given section. */
export function findSpecLine(section: string, quote: string): SpecLine | undefined {
  if (quote.trim() === '') return undefined
  const found = listSpecLines().filter(({ text }) => text.includes(quote.trim()))
  return found.find((line) => line.section === section) ?? found[0]
}
