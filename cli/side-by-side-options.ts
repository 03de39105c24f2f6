import { type Command, InvalidArgumentError, Option } from 'commander'
import { SIDE_BY_SIDE_FORMATS, type SideBySideFormat, type SideBySideOptions } from '../reports/report-comparison.ts'
import { TOOL_VERSION } from './version.ts'

/** The flags of a comparison and of a matrix as commander gives them. */
export interface SideBySideFlags {
  readonly format: readonly SideBySideFormat[]
  readonly out: string
}

/** Adds what a comparison and a matrix have in common. */
export function addSideBySideFlags(command: Command, formats: readonly SideBySideFormat[] = []): Command {
  const told = formats.length === 0 ? 'none' : formats.join(',')
  return command
    .addOption(
      new Option('--format <list>', `files to write, of ${SIDE_BY_SIDE_FORMATS.join(', ')}, with commas`)
        .argParser(parseFormats)
        .default(formats, told),
    )
    .addOption(new Option('--out <directory>', 'where they go').default('touchstone-report'))
}

/** Flags as options. */
export function sideBySideOptions({ format, out }: SideBySideFlags): SideBySideOptions {
  return {
    directory: out,
    formats: format,
    hasColor: process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '',
    madeBy: `touchstone ${TOOL_VERSION}`,
    print: (text) => process.stdout.write(text),
  }
}

function parseFormats(value: string): SideBySideFormat[] {
  return value.split(',').map((name) => {
    const format = SIDE_BY_SIDE_FORMATS.find((candidate) => candidate === name.trim())
    if (format === undefined) throw new InvalidArgumentError(`Formats are ${SIDE_BY_SIDE_FORMATS.join(', ')}.`)
    return format
  })
}
