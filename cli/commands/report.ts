import type { Command } from 'commander'
import { registerCompare } from './report-compare.ts'
import { registerFiles } from './report-files.ts'
import { registerMatrix } from './report-matrix.ts'
import { registerMerge } from './report-merge.ts'
import { registerSchema } from './report-schema.ts'

/** Registers `touchstone report` and its subcommands. */
export function register(program: Command): void {
  const report = program
    .command('report')
    .summary('make something else of result documents')
    .description('Makes something else of the documents that runs have written.')
    .enablePositionalOptions()
  registerFiles(report)
  registerCompare(report)
  registerMatrix(report)
  registerMerge(report)
  registerSchema(report)
}
