import { reportLoad } from '../reports/report-load.ts'
import { serializeDocument } from '../reports/write-document.ts'
import type { LoadDocument } from '../load/run-load.ts'
import { tryToWriteReport } from './report-errors.ts'
import { wrapReport } from './wrap-text.ts'

interface LoadReportFlags {
  readonly out: string
  readonly json: boolean | undefined
}

/**
 * Prints and writes the report of a load run.
 * @returns the verdict, or `harness-error` if the report cannot be written
 */
export async function writeLoadReport(
  document: LoadDocument,
  { out, json }: LoadReportFlags,
): Promise<LoadDocument['verdict']> {
  const isWritten = await tryToWriteReport(() =>
    reportLoad(document, {
      directory: out,
      hasColor: process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '',
      print: (text) => process.stdout.write(json === true ? serializeDocument(document) : wrapReport(text)),
      printPaths: (text) => void (json === true || process.stdout.write(wrapReport(text))),
    }),
  )
  return isWritten ? document.verdict : 'harness-error'
}
