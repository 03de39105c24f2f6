import { type Command, Option } from 'commander'
import type { OptionTable } from '../../common/options/option-table.ts'

export interface LayeredHelp<Table extends OptionTable> {
  /** Names of the options that `--help` lists: at most twelve, so that they fit on a screen with the examples. */
  readonly common: readonly (keyof Table & string)[]
  /** Text that only `--help-all` prints, such as lists of values. */
  readonly details?: string
  /** Text at the end of both. */
  readonly examples: string
}

/**
 * Divides the help of a command into two layers: `--help` lists the common options, and `--help-all` lists all options in
 * two groups. Requires that the options of the table were added to the command.
 */
export function addLayeredHelp<const Table extends OptionTable>(
  command: Command,
  table: Table,
  { common, details = '', examples }: LayeredHelp<Table>,
): void {
  const names = new Set<string>(common)
  const others = command.options.filter((option) => !names.has(option.attributeName()))
  for (const option of command.options) {
    option.helpGroup(names.has(option.attributeName()) ? 'Common options:' : 'Other options:')
  }
  let isWhole = false
  // Hides them only while the help is printed, because commander never suggests a hidden option for a misspelled one.
  command.addHelpText('before', () => {
    for (const option of others) option.hideHelp(!isWhole)
    return ''
  })
  command.addHelpOption(new Option('-h, --help', 'list the common options').helpGroup('Help:'))
  command.addOption(new Option('--help-all', `list all ${Object.keys(table).length} options`).helpGroup('Help:'))
  command.addHelpText('after', () => `${isWhole ? details : ''}${examples}`)
  command.on('option:help-all', () => {
    isWhole = true
    command.help()
  })
}
