const NAMES = 'conformance|load|emulator|prove|report|init|doctor'

/** Matches a command of this program, including the space before its arguments. */
const COMMAND = new RegExp(String.raw`(?<![\w./-])(?:npx --no )?touchstone (${NAMES})(?![\w-])(?: (?=[-\w[]))?`, 'g')

/**
 * Replaces each `touchstone COMMAND` in a string with a command that the user can type: `npm run COMMAND --` in a
 * clone, or `npx --no touchstone COMMAND` with the installed package. With `--no`, npx never downloads a package of that
 * name.
 * @param module URL of a module of this program: a `.ts` file in a clone, a `.js` file in the installed package
 */
export function replaceCommandNames(text: string, module: string = import.meta.url): string {
  const isClone = module.endsWith('.ts')
  const program = isClone ? 'npx node cli/bin.js --' : 'npx --no touchstone --'
  return text
    .replaceAll(/(?<![\w./-])touchstone --(?=[a-z])/g, program)
    .replaceAll(COMMAND, (match, command: string) => {
      const space = match.endsWith(' ') ? ' ' : ''
      if (!isClone) return `npx --no touchstone ${command}${space}`
      return space === '' ? `npm run ${command}` : `npm run ${command} -- `
    })
}

/** Formats a command so that the user can type it; see {@link replaceCommandNames}. */
export function formatCommand(command: string, args: string, module?: string): string {
  return replaceCommandNames(`touchstone ${command} ${args}`, module)
}
