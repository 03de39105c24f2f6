import type { Command } from 'commander'
import { registerMerge } from './report-merge.ts'

/** Adds `touchstone report`, whose subcommands have a file each. */
export function register(program: Command): void {
  const report = program
    .command('report')
    .summary('make something else of result documents')
    .description('Makes something else of the documents that runs have written.')
  registerMerge(report)
}
