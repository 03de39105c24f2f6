import { KEY_PREFIX } from '../contract/facts.ts'

const KEY = new RegExp(`${KEY_PREFIX}[^\\s'"]+`, 'g')

/** Of an address without a user or a query: such a part can be a secret. */
const ADDRESS = /^https?:\/\/[\w.\-:[\]/~%]+$/i

/**
 * Turns what is said about wrong usage into one line that names the way out and shows no key. `targets` are the words that stood
 * without an option, of a command that has --target.
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
  // What has a second part, after a colon or a full stop, has told already what would be right.
  if (/[:.] /.test(sentence)) {
    return `${sentence}.\n`
  }
  const suggestion = /Did you mean (.+)\?/.exec(hint)?.[1]
  const help = `${command} --help`
  return suggestion === undefined ? `${sentence}: see ${help}.\n` : `${sentence}: did you mean ${suggestion}?\n`
}

/** A path is written as it is: with a capital letter it would be another. */
function startsWithPath(text: string): boolean {
  return /^\S*[/\\.]\S/.test(text)
}

function maskKeys(text: string): string {
  return text.replaceAll(KEY, `${KEY_PREFIX}…`)
}
