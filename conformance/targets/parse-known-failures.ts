import type { CheckWithReason } from '../options/table-options.ts'
import { parseJsonFile } from './parse-target-file.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'

/**
 * Parses a list of known failures: a JSON array of `{ "id", "reason" }`, as in a target file, or plain text. Each line
 * of plain text contains a check ID and a reason; `#` starts a comment.
 * @throws InvalidOptionError that names the invalid line or entry
 */
export function parseKnownFailures(text: string, file: string): CheckWithReason[] {
  return /^\s*[[{]/.test(text) ? readArray(parseJsonFile(text, file), file) : readLines(text, file)
}

function readArray(value: unknown, file: string): CheckWithReason[] {
  if (!Array.isArray(value)) {
    throw invalidFile(file, 'known failures must be an array of { "id", "reason" }, or lines that start with an ID')
  }
  return value.map((entry: unknown, index) => {
    if (!isEntry(entry)) {
      throw invalidFile(file, `entry ${index + 1} must have an "id" and a "reason", and no other field`)
    }
    return entry
  })
}

function isEntry(value: unknown): value is CheckWithReason {
  if (typeof value !== 'object' || value === null) {
    return false
  }
  const members = Object.entries(value)
  const isText = ([name, text]: [string, unknown]): boolean =>
    (name === 'id' || name === 'reason') && typeof text === 'string' && text !== ''
  return members.length === 2 && members.every(isText)
}

function readLines(text: string, file: string): CheckWithReason[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const plain = line.replace(/(^|\s)#.*$/, '').trim()
    if (plain === '') {
      return []
    }
    const [, id, reason] = /^(\S+)\s+(.+)$/.exec(plain) ?? []
    if (id === undefined || reason === undefined) {
      throw invalidFile(file, `line ${index + 1} gives no reason: write it after the ID`)
    }
    return [{ id, reason }]
  })
}

function invalidFile(file: string, problem: string): InvalidOptionError {
  return new InvalidOptionError({ reason: 'invalid-file', file, problem })
}
