import { basename } from 'node:path'
import { parseArgs, type ParseArgsConfig } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>

const NUMBERS = /^\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*$/

/**
 * Parses the command-line flags of a benchmark: numbers, comma-separated lists of numbers, or file names. `--help`
 * prints the flags with their defaults and exits. An invalid flag prints an error message and exits with code 2.
 */
export function readFlags<const Flags extends Options>(options: Flags) {
  if (process.argv.includes('--help')) {
    process.stdout.write(usageOf(options))
    process.exit(0)
  }
  try {
    const { values } = parseArgs({ options })
    const problem = findProblem(values, options)
    if (problem === undefined) return values
    exitWithUsageError(problem)
  } catch (error) {
    exitWithUsageError(error instanceof Error ? error.message : String(error))
  }
}

function exitWithUsageError(why: string): never {
  process.stderr.write(`error: ${why.replace(/\.?$/, '.')} See --help.\n`)
  process.exit(2)
}

/** Describes the first value that is not a number although the default of its flag is a number. */
function findProblem(values: Readonly<Record<string, unknown>>, options: Options): string | undefined {
  for (const [name, { default: byDefault }] of Object.entries(options)) {
    const value = values[name]
    if (typeof byDefault !== 'string' || typeof value !== 'string') continue
    if (NUMBERS.test(byDefault) && !NUMBERS.test(value)) return `--${name} must be like ${byDefault}, not '${value}'.`
  }
  return undefined
}

function usageOf(options: Options): string {
  const lines = Object.entries(options).map(([name, { type, default: byDefault }]) => {
    const value = type === 'boolean' ? '' : byDefault === undefined ? ' VALUE' : ` ${String(byDefault)}`
    return `  --${name}${value}\n`
  })
  return `Usage: node bench/${basename(process.argv[1] ?? '')} [flags], with what applies where none is given:\n${lines.join('')}`
}
