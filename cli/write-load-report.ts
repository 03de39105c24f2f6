import { EXIT_CODES } from '../common/exit-codes.ts'
import { reportLoad } from '../reports/report-load.ts'
import { serializeDocument } from '../reports/write-document.ts'
import type { LoadDocument } from '../load/run-load.ts'
import { tryToWrite } from './report-errors.ts'
import { hasColor, printReport } from './report-output.ts'

interface LoadReportFlags {
  readonly out: string
  readonly verbose?: boolean | undefined
  readonly json: boolean | undefined
}

/** Prints and writes the report of a load run, and sets the exit code of the command. */
export async function writeLoadReport(
  document: LoadDocument,
  { out, verbose = false, json }: LoadReportFlags,
): Promise<void> {
  process.exitCode = EXIT_CODES[document.verdict]
  await tryToWrite('report', () =>
    reportLoad(document, {
      directory: out,
      isVerbose: verbose,
      hasColor: hasColor(),
      print: (text) => (json === true ? process.stdout.write(serializeDocument(document)) : printReport(text)),
      printPaths: (text) => json === true || printReport(text),
    }),
  )
}
