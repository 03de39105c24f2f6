import { createInterface } from 'node:readline/promises'

/**
 * Asks a yes-or-no question on stderr.
 * @returns whether the user typed `y` or `yes`
 */
export async function promptForConfirmation(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const response = await terminal.question(`${question} [y/N] `)
  terminal.close()
  return /^y(es)?$/i.test(response.trim())
}
