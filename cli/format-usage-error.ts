import { OWN_WORDS } from '../common/secrets/own-words.ts'
import { listUrlSecrets } from '../common/secrets/secret-values.ts'
import { TextMask } from '../common/secrets/text-mask.ts'
import { KEY_PREFIX } from '../contract/facts.ts'

/** Matches a URL without user information or query, which may contain secrets. */
const ADDRESS = /^https?:\/\/[\w.\-:[\]/~%]+$/i

const JSON_FILE = /^[\w./~-]+\.json$/

const UNKNOWN_OPTION = /^unknown option '(--[\w-]+)'$/

const UNKNOWN_COMMAND = /^unknown command '(.+)'$/

/** Commands of `report`, which users look for among the main commands. */
const REPORT_COMMANDS: readonly string[] = ['compare', 'matrix', 'history', 'merge', 'schema']

/** Flags whose values are not shown, because they can contain a secret. */
const SECRET_FLAGS: readonly string[] = ['--header', '--body']

export interface CommandUsage {
  /** Full name of the command, such as `touchstone report matrix`. */
  readonly path: string
  readonly args?: readonly string[]
  /** Long flags of the command, such as `--target`. */
  readonly flags?: readonly string[]
  readonly commands?: readonly string[]
}

/** Formats an error of commander as one line with advice. Masks API keys, and secrets in URLs. */
export function formatUsageError(text: string, usage: CommandUsage): string {
  const [problem = '', hint = ''] = text
    .trim()
    .split('\n')
    .map((line) => maskSecrets(line.trim()))
  const plain = problem.replace(/^error: /, '').replace(/\.$/, '')
  const help = `See ${usage.path} --help.`
  const sentence = describeStrayArgument(plain, usage) ?? describeOptionValue(plain, help)
  if (sentence !== undefined) return `${sentence}\n`
  const capitalized = startsWithPath(plain) ? plain : plain.charAt(0).toUpperCase() + plain.slice(1)
  // A message with a colon or a second sentence already contains advice.
  if (/[:.] /.test(capitalized)) return `${capitalized}${capitalized.endsWith('?') ? '' : '.'}\n`
  const suggestion =
    /Did you mean (.+)\?/.exec(hint)?.[1] ??
    suggestCommand(plain, usage.commands ?? []) ??
    suggestFlag(plain, usage.flags ?? [])
  if (suggestion !== undefined) return `${capitalized}. Did you mean ${suggestion}?\n`
  const commands = UNKNOWN_COMMAND.test(plain) ? `The commands are ${(usage.commands ?? []).join(', ')}. ` : ''
  return `${capitalized}. ${commands}${help}\n`
}

/**
 * Describes a superfluous positional argument, and suggests the flag that the user probably omitted. Returns undefined
 * for any other message.
 */
function describeStrayArgument(plain: string, { args = [], flags = [], path }: CommandUsage): string | undefined {
  if (args[0] === 'help' && /^too many arguments|cannot be read \(ENOENT\)/i.test(plain)) {
    return `'help' is not an argument. Did you mean ${path} --help?`
  }
  if (!/^too many arguments/i.test(plain)) return undefined
  const address = args.find((word) => ADDRESS.test(word))
  if (address !== undefined && flags.includes('--target')) {
    return `Too many arguments. Did you mean --target ${maskSecrets(address)}?`
  }
  const file = args.find((word) => JSON_FILE.test(word))
  const flag = flags.includes('--config') ? '--config' : flags.includes('--target') ? '--target' : undefined
  if (file !== undefined && flag !== undefined) return `Too many arguments. Did you mean ${flag} ${maskSecrets(file)}?`
  if (!plain.startsWith('too many arguments for')) return undefined
  const port = args.find((word) => /^\d{1,5}$/.test(word))
  if (port !== undefined && flags.includes('--port')) return `Too many arguments. Did you mean --port ${port}?`
  return `Too many arguments. This command takes only options, such as ${flags[0] ?? '--help'}. See ${path} --help.`
}

/** Describes an invalid or missing value of an option or an argument. Returns undefined for any other message. */
function describeOptionValue(plain: string, help: string): string | undefined {
  const missing = /^option '(.+)' argument missing$/.exec(plain)?.[1]
  if (missing !== undefined) return `${flagOf(missing)} needs a value: ${missing}. ${help}`
  const [, option = '', value = '', advice = ''] =
    /^option '(.+?)' (?:value|argument) '(.*?)'(?: from env '\w+')? is invalid\.? ?(.*)$/.exec(plain) ?? []
  if (option !== '') {
    const flag = flagOf(option)
    return `Invalid ${flag}${SECRET_FLAGS.includes(flag) ? '' : `: "${value}"`}. ${advice === '' ? help : `${advice}.`}`
  }
  const [, word = '', argument = '', choices = ''] =
    /^command-argument value '(.*)' is invalid for argument '(.+)'\. Allowed choices are (.+)$/.exec(plain) ?? []
  return argument === '' ? undefined : `Invalid ${argument}: "${word}". It must be one of ${choices}.`
}

/** Extracts the long flag of an option: `-V, --version <x>` becomes `--version`. */
function flagOf(option: string): string {
  return /--[\w-]+/.exec(option)?.[0] ?? option
}

/** Finds the command that an unknown command abbreviates: `conform` becomes `conformance`. */
function suggestCommand(plain: string, commands: readonly string[]): string | undefined {
  const word = UNKNOWN_COMMAND.exec(plain)?.[1]?.toLowerCase()
  if (word === undefined || word.length < 2) return undefined
  return REPORT_COMMANDS.includes(word) ? `report ${word}` : commands.find((command) => command.startsWith(word))
}

/** Finds the flag with whose name an unknown flag ends, such as `--key` for `--api-key`. */
function suggestFlag(plain: string, flags: readonly string[]): string | undefined {
  const unknown = UNKNOWN_OPTION.exec(plain)?.[1]
  return unknown === undefined ? undefined : flags.find((flag) => unknown.endsWith(flag.slice(1)))
}

/** Returns whether a message starts with a file path, which must not be capitalized. */
function startsWithPath(text: string): boolean {
  return /^\S*[/\\.]\S/.test(text)
}

function maskSecrets(text: string): string {
  const options = { prefix: KEY_PREFIX, ownText: OWN_WORDS, masksUnknownKeys: true }
  return new TextMask(listUrlSecrets(text), options).mask(text)
}
