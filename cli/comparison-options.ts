import { COMPARISON_FORMATS, type ComparisonFormat, type ComparisonOptions } from '../reports/report-comparison.ts'
import type { OptionTable } from '../common/options/option-table.ts'
import { TOOL_VERSION } from './version.ts'
import { hasColor, printReport } from './report-output.ts'

/** Options that `report compare` and `report matrix` share. Each command adds its own default of `--format`. */
export const COMPARISON_OPTION_TABLE = {
  format: {
    flag: '--format',
    placeholder: 'list',
    type: 'choices',
    choices: COMPARISON_FORMATS,
    description: 'formats to write, separated by commas',
  },
  out: {
    flag: '--out',
    placeholder: 'directory',
    type: 'string',
    default: 'touchstone-report',
    description: 'directory to write the files to',
  },
} as const satisfies OptionTable

export function buildComparisonOptions(formats: readonly ComparisonFormat[], directory: string): ComparisonOptions {
  return {
    directory,
    formats,
    hasColor: hasColor(),
    madeBy: `touchstone ${TOOL_VERSION}`,
    print: printReport,
  }
}
