import type { Command } from 'commander'
import { registerReportCompare } from './report-compare.ts'
import { registerReportFiles } from './report-files.ts'
import { registerReportHistory } from './report-history.ts'
import { registerReportMatrix } from './report-matrix.ts'
import { registerReportMerge } from './report-merge.ts'
import { registerReportSchema } from './report-schema.ts'

export function registerReportCommand(program: Command): void {
  const report = program
    .command('report')
    .summary('convert, compare and merge result documents')
    .description('Converts, compares and merges the documents of runs.')
    .enablePositionalOptions()
  registerReportFiles(report)
  registerReportCompare(report)
  registerReportMatrix(report)
  registerReportHistory(report)
  registerReportMerge(report)
  registerReportSchema(report)
}
