import { KEY_PREFIX } from '../contract/facts.ts'

const KEY = new RegExp(`${KEY_PREFIX}[^\\s'"]+`, 'g')

/** Matches a URL without user information or query, which may contain secrets. */
const ADDRESS = /^https?:\/\/[\w.\-:[\]/~%]+$/i

/**
 * Formats an error of commander as one line that contains advice and no key.
 * @param targets positional arguments, for a command that has `--target`
 */
export function formatUsageError(text: string, command: string, targets: readonly string[] = []): string {
  const address = targets.find((word) => ADDRESS.test(word))
  if (address !== undefined && /^(?:error: )?too many arguments/i.test(text)) {
    return `Too many arguments: did you mean --target ${maskKeys(address)}?\n`
  }
  const [problem = '', hint = ''] = text
    .trim()
    .split('\n')
    .map((line) => maskKeys(line.trim()))
  const plain = problem.replace(/^error: /, '').replace(/\.$/, '')
  const sentence = startsWithPath(plain) ? plain : plain.charAt(0).toUpperCase() + plain.slice(1)
  // A message of several sentences already contains advice.
  if (/[:.] /.test(sentence)) {
    return `${sentence}.\n`
  }
  const suggestion = /Did you mean (.+)\?/.exec(hint)?.[1]
  const help = `${command} --help`
  return suggestion === undefined ? `${sentence}: see ${help}.\n` : `${sentence}: did you mean ${suggestion}?\n`
}

/** Returns true if the text starts with a file path, which must not be capitalized. */
function startsWithPath(text: string): boolean {
  return /^\S*[/\\.]\S/.test(text)
}

function maskKeys(text: string): string {
  return text.replaceAll(KEY, `${KEY_PREFIX}…`)
}
