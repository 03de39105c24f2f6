import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { tryToParseJson } from '../../common/parse-json.ts'
import { InvalidDocumentError, readDocument } from '../../reports/documents.ts'
import { buildDocumentFromResult, isResultFile, verifyResultDigest } from '../../load/document-from-result.ts'
import { MergeError, type NamedLoadDocument } from '../../load/check-segments.ts'
import { mergeLoads } from '../../load/merge-load.ts'
import { type Budget, InvalidOptionError, parseBudget } from '../../load/run-load.ts'
import { flagOf, formatLoadOptionName } from '../messages/load-messages.ts'
import { handleSignals } from '../handle-signals.ts'
import { addOptions } from '../options/add-options.ts'
import type { OptionTable, OptionValues } from '../../common/options/option-table.ts'
import { prepareReportDirectory } from '../report-errors.ts'
import { CommandLineError } from '../command-line-error.ts'
import { TOOL_VERSION } from '../version.ts'
import { writeLoadReport } from '../write-load-report.ts'

export const REPORT_MERGE_TABLE = {
  out: {
    flag: '--out',
    placeholder: 'directory',
    type: 'string',
    default: 'touchstone-report',
    description: 'directory to write load-<scenario>.json to',
  },
  budget: {
    flag: '--budget',
    placeholder: 'budget',
    type: 'string',
    repeatable: true,
    description: 'budget for k6 result files, which contain no budgets',
    example: "'ttft.p99<=800ms'",
  },
  json: { flag: '--json', type: 'boolean', description: 'prints only the document, as JSON' },
} as const satisfies OptionTable

const CONTEXT = { toolVersion: TOOL_VERSION, nameOption: formatLoadOptionName }

export function registerReportMerge(report: Command): void {
  const command = report
    .command('merge')
    .summary('merge the segments of a load run into one document')
    .description(
      'Merges the documents of a segmented load run (touchstone load --segment): adds counts, merges histograms, and evaluates the budgets on the merged results.',
    )
    .argument('<file...>', 'the documents of all segments')
  addOptions(command, REPORT_MERGE_TABLE).addHelpText('after', HELP).action(run)
}

const HELP = `
Example:
  touchstone report merge part-1/load-chat.json part-2/load-chat.json --out merged
  touchstone report merge results/*.json --budget 'ttft.p99<=800ms'    # k6 result files

The exit codes are those of touchstone load. The exit code is 2 if the files are not segments of one run.
`

async function run(
  files: readonly string[],
  { out = REPORT_MERGE_TABLE.out.default, json, budget = [] }: OptionValues<typeof REPORT_MERGE_TABLE>,
  command: Command,
): Promise<void> {
  try {
    const budgets = budget.map(parseBudget)
    const parts = await Promise.all(files.map((file) => readPart(file, budgets)))
    const document = mergeLoads(parts, CONTEXT)
    handleSignals() // A signal does not interrupt the writing of a file.
    await prepareReportDirectory(out)
    await writeLoadReport(document, { out, json: json === true ? json : undefined })
  } catch (error) {
    if (error instanceof InvalidOptionError) command.error(error.describe(flagOf))
    if (error instanceof MergeError || error instanceof CommandLineError || error instanceof InvalidDocumentError)
      command.error(error.message)
    throw error
  }
}

async function readPart(name: string, budgets: readonly Budget[]): Promise<NamedLoadDocument> {
  const text = await readFile(name, 'utf8').catch(() => '')
  const value = tryToParseJson(text)
  if (isResultFile(value)) {
    verifyResultDigest(name, text)
    return { name, document: buildDocumentFromResult(value, budgets, CONTEXT) }
  }
  if (budgets.length > 0) {
    throw new CommandLineError(`${name} already has budgets. --budget applies only to k6 result files.`)
  }
  const document = await readDocument(name)
  if (document.kind !== 'load')
    throw new CommandLineError(`${name} is a ${document.kind} document: only load documents are merged.`)
  return { name, document }
}
