import { createInterface } from 'node:readline/promises'

/**
 * Asks a yes-or-no question on stderr.
 * @returns whether the user typed `y` or `yes`
 */
export async function promptForConfirmation(question: string): Promise<boolean> {
  // Without its own editing of the line, so that Ctrl-C sends a signal.
  const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
  const response = await terminal.question(`${question} [y/N] `)
  terminal.close()
  return /^y(es)?$/i.test(response.trim())
}
