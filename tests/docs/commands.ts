import { readFileSync } from 'node:fs'

/** Matches the installed `touchstone` command where a shell would run it. */
const COMMAND = /(?<=^|&& |\| )(?:npx --no )?touchstone (?=[a-z-])/gm
const SCRIPT = /(?<=^|&& |\| | {2})npm run (?:--silent )?([a-z]+)(?: --(?= |$))?/gm

/** Replaces the installed command with the command of this repository. */
export function replaceInstalledCommand(commands: string): string {
  return commands.replaceAll(COMMAND, 'node cli/bin.js ')
}

/**
 * Replaces `npm run NAME` with the script's command, because npm takes longer to start than most scripts take to run.
 * @throws Error if the script does not exist
 */
export function replaceNpmRun(commands: string): string {
  return commands.replaceAll(SCRIPT, (_, name: string) => findScript(name))
}

function findScript(name: string): string {
  // The cast is safe: npm requires this format of package.json.
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const script = scripts[name]
  if (script === undefined) throw new Error(`package.json has no script "${name}".`)
  return script.replace(/^exec /, '')
}

/**
 * Returns the lines that only assign variables (`NAME=value` or `export NAME=value`), on which later blocks of a page
 * depend.
 */
export function findAssignments(commands: string): string {
  const value = String.raw`(?:'[^']*'|"\$?[^"$]*"|[^\s$'"]*)`
  const lines = commands.match(new RegExp(`^(?:export )?(?:[A-Z_]+=${value}(?: |$))+$`, 'gm'))
  return lines === null ? '' : `${lines.join('\n')}\n`
}
