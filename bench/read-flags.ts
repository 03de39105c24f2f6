import { basename } from 'node:path'
import { parseArgs, type ParseArgsConfig } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>

const NUMBERS = /^\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*$/

/**
 * The flags of a bench: numbers, lists of numbers with commas, or names of files. `--help` shows them with what applies where they
 * are not given. Ends the process there, and with 2 and one sentence where a flag cannot be.
 */
export function readFlags<const Flags extends Options>(options: Flags) {
  if (process.argv.includes('--help')) {
    process.stdout.write(usageOf(options))
    process.exit(0)
  }
  try {
    const { values } = parseArgs({ options })
    const fault = faultIn(values, options)
    if (fault === undefined) return values
    refuse(fault)
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error))
  }
}

function refuse(why: string): never {
  process.stderr.write(`error: ${why.replace(/\.?$/, '.')} See --help.\n`)
  process.exit(2)
}

/** A flag that is a number where nothing is said has to be one. */
function faultIn(values: Readonly<Record<string, unknown>>, options: Options): string | undefined {
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
