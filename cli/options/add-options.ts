import { type Command, InvalidArgumentError, Option } from 'commander'
import { describeDefault, formatFlag, type OptionRow, type OptionTable } from '../../common/options/option-table.ts'

/** Parsers of the program's own types. They throw an error whose message starts with \"It must be\". */
type OptionReaders = Readonly<Record<string, (text: string) => unknown>>

/**
 * Adds the options of a table to a command, in the order of the table. The command's action receives their values as
 * `OptionValues<typeof TABLE>`, keyed by the names in the table. The help shows defaults, but
 * only the program applies them.
 * @param readers parsers of the program's own types; without a reader, the action receives the text unchanged
 */
export function addOptions(command: Command, table: OptionTable, readers: OptionReaders = {}): Command {
  for (const [name, row] of Object.entries(table)) {
    const option = new TableOption(name, row)
    if (row.type !== 'boolean') {
      const read = readerOf(row, readers)
      parseBy(option, (text) => read(rejectFlag(text)))
    }
    if (row.env !== undefined) option.env(row.env)
    command.addOption(option)
  }
  return command
}

/**
 * Adds the options of a table without parsing their values, for a program that also reads them from the environment.
 * The action receives a string for each option, a list of strings for a repeatable option, and `true` for a flag
 * without a value.
 */
export function addTextOptions(command: Command, table: OptionTable): Command {
  for (const [name, row] of Object.entries(table)) {
    const option = new TableOption(name, row)
    if (row.repeatable === true) parseBy(option, (text) => text)
    command.addOption(option)
  }
  return command
}

function parseBy(option: TableOption, read: (text: string) => unknown): void {
  if (option.isRepeatable) {
    option.argParser((text, before: unknown) => [...(Array.isArray(before) ? before : []), read(text)])
  } else {
    option.argParser(read)
  }
}

class TableOption extends Option {
  readonly isRepeatable: boolean
  readonly #name: string

  constructor(name: string, row: OptionRow) {
    super(formatFlag(row), describe(row))
    this.#name = name
    this.isRepeatable = row.repeatable === true
    // By default, commander treats every --no-… flag as a negation, even if the flag takes a value.
    this.negate = row.type === 'boolean' && row.flag.startsWith('--no-')
  }

  override attributeName(): string {
    return this.#name
  }
}

function describe(row: OptionRow): string {
  const { description, example, choices, repeatable } = row
  const defaultText = describeDefault(row)
  const remarks = [
    ...(choices === undefined ? [] : [`${row.type === 'choices' ? 'any of' : 'one of'} ${choices.join(', ')}`]),
    ...(repeatable === true ? ['repeatable'] : []),
    ...(defaultText === undefined ? [] : [`default: ${defaultText}`]),
  ]
  return [
    description,
    ...(example === undefined ? [] : [`, e.g. ${example}`]),
    ...(remarks.length === 0 ? [] : [` (${remarks.join('; ')})`]),
  ].join('')
}

/** Rejects a flag, which commander reads as the value of an option that lacks its value. */
function rejectFlag(text: string): string {
  if (!/^--[a-z]/.test(text)) return text
  throw new InvalidArgumentError('It is another option: the value is missing')
}

function readerOf(row: OptionRow, readers: OptionReaders): (text: string) => unknown {
  const own = readers[row.type]
  if (own !== undefined) return (text) => convertReaderError(() => own(text))
  switch (row.type) {
    case 'integer':
      return (text) => readInteger(text, row)
    case 'number':
      return (text) => readNumber(text, row)
    case 'credits':
      return readCredits
    case 'duration':
      return readDuration
    case 'choice':
      return (text) => readChoice(text, row)
    case 'choices':
      return (text) => text.split(',').map((part) => readChoice(part.trim(), row, text))
    default:
      return (text) => text
  }
}

/**
 * Calls a reader, and converts its exception into a usage error.
 * @throws InvalidArgumentError
 */
function convertReaderError(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message.replace(/\.$/, '') : String(error))
  }
}

const MAX_INTEGER = 2_147_483_647

function readInteger(text: string, { min = 0, max = MAX_INTEGER }: OptionRow): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  const range = max === MAX_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  throw new InvalidArgumentError(`It must be a whole number ${range}`)
}

function readNumber(text: string, { min, max = Infinity }: OptionRow): number {
  const value = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && (min === undefined ? value > 0 : value >= min) && value <= max) return value
  const lowerBound = min === undefined ? 'greater than 0' : `of at least ${min}`
  throw new InvalidArgumentError(
    `It must be a decimal number ${lowerBound}${max === Infinity ? '' : ` and at most ${max}`}`,
  )
}

function readCredits(text: string): string {
  if (/^\d+(\.\d{1,4})?$/.test(text)) return text
  throw new InvalidArgumentError(
    'It must be a number of credits such as 2.5, with at most four digits after the decimal point',
  )
}

const SECONDS = { ms: 0.001, s: 1, m: 60, h: 3600 } as const

/** One year, in seconds. */
const MAX_DURATION_S = 366 * 86_400

function readDuration(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? []
  const seconds = Number(amount) * (Object.entries(SECONDS).find(([name]) => name === unit)?.[1] ?? Number.NaN)
  if (seconds > 0 && seconds <= MAX_DURATION_S) return seconds
  throw new InvalidArgumentError('It must be a time greater than 0 and up to a year, such as 30s, 5m or 1h')
}

/** @param whole the list that contains the value; the error message names the value if the list has others */
function readChoice(text: string, { choices = [] }: OptionRow, whole: string = text): string {
  if (choices.includes(text)) return text
  const subject = text === whole.trim() ? 'It' : `"${text}"`
  throw new InvalidArgumentError(`${subject} must be one of ${choices.join(', ')}`)
}
