/**
 * A command as it is typed where this program lies: a clone, whose sources run as they are, has no `touchstone` on the path, and
 * starts it by npm.
 * @param module address of a module of this program
 */
export function formatCommand(command: string, args: string, module: string = import.meta.url): string {
  return module.endsWith('.ts') ? `npm run ${command} -- ${args}` : `touchstone ${command} ${args}`
}
