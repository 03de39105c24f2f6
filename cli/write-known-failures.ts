import { readFile, realpath } from 'node:fs/promises'
import { applyEdits, modify } from 'jsonc-parser'
import { formatCount } from '../common/format-count.ts'
import type { KnownFailure } from '../reports/known-failures.ts'
import { writeFileAtomically } from '../reports/write-document.ts'

/**
 * Replaces the field `knownFailures` of a target file, and keeps the rest of its text.
 * @returns the sentence for the user
 */
export async function writeKnownFailures(path: string, list: readonly KnownFailure[]): Promise<string> {
  const text = await readFile(path, 'utf8')
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' }
  const edited = applyEdits(text, modify(text, ['knownFailures'], list, { formattingOptions }))
  await writeFileAtomically(await realpath(path), edited)
  return `${path} now has ${formatCount(list.length, 'known failure')}. Review them, and replace each reason with yours.\n`
}
