import { KEY_PREFIX } from '../contract/facts.ts'

const KEY = new RegExp(`${KEY_PREFIX}[^\\s'"]+`, 'g')

/** Turns what is said about wrong usage into one line that names the way out and shows no key. */
export function usageSentence(text: string, command: string): string {
  const [problem = '', hint = ''] = text
    .trim()
    .split('\n')
    .map((line) => line.trim().replaceAll(KEY, `${KEY_PREFIX}…`))
  const plain = problem.replace(/^error: /, '').replace(/\.$/, '')
  const sentence = beginsWithPath(plain) ? plain : plain.charAt(0).toUpperCase() + plain.slice(1)
  // What has a second part, after a colon or a full stop, has told already what would be right.
  if (/[:.] /.test(sentence)) {
    return `${sentence}.\n`
  }
  const suggestion = /Did you mean (.+)\?/.exec(hint)?.[1]
  const help = `${command} --help`
  return suggestion === undefined ? `${sentence}: see ${help}.\n` : `${sentence}: did you mean ${suggestion}?\n`
}

/** A path is written as it is: with a capital letter it would be another. */
function beginsWithPath(text: string): boolean {
  return /^\S*[/\\.]\S/.test(text)
}
