import { readFileSync } from 'node:fs'

/** Matches the installed command where a shell would run it. */
const COMMAND = /(?<=^|&& |\| )(?:npx )?touchstone (?=[a-z-])/gm
const SCRIPT = /(?<=^|&& |\| | {2})npm run (?:--silent )?([a-z]+)(?: --(?= |$))?/gm

/** Replaces the installed command by the one of this repository. */
export function withOwnCommand(commands: string): string {
  return commands.replaceAll(COMMAND, 'node cli/bin.js ')
}

/**
 * Replaces `npm run` by the command of the script, because starting npm takes longer than most scripts.
 * @throws Error if there is no such script
 */
export function replaceNpmRun(commands: string): string {
  return commands.replaceAll(SCRIPT, (_, name: string) => scriptNamed(name))
}

function scriptNamed(name: string): string {
  // the format that npm itself reads
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const script = scripts[name]
  if (script === undefined) throw new Error(`package.json has no script ${name}.`)
  return script.replace(/^exec /, '')
}

/** Returns the lines that only assign `NAME=value`, exported or not. Later blocks of a page rely on them. */
export function findAssignments(commands: string): string {
  const value = String.raw`(?:'[^']*'|"\$?[^"$]*"|[^\s$'"]*)`
  const lines = commands.match(new RegExp(`^(?:export )?(?:[A-Z_]+=${value}(?: |$))+$`, 'gm'))
  return lines === null ? '' : `${lines.join('\n')}\n`
}
