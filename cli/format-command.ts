/**
 * Formats a command as the user types it: `npm run …` in a clone, which has no `touchstone` on the PATH, and
 * `touchstone …` in an installed package.
 * @param module URL of a module of this program
 */
export function formatCommand(command: string, args: string, module: string = import.meta.url): string {
  return module.endsWith('.ts') ? `npm run ${command} -- ${args}` : `touchstone ${command} ${args}`
}
