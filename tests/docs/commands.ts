import { readFileSync } from 'node:fs'

/** The installed command, where a command can stand. */
const COMMAND = /(?<=^|&& |\| )(?:npx )?touchstone (?=[a-z-])/gm
const SCRIPT = /(?<=^|&& |\| | {2})npm run (?:--silent )?([a-z]+)(?: --(?= |$))?/gm

/** The installed command is this repository's. */
export function withOwnCommand(commands: string): string {
  return commands.replaceAll(COMMAND, 'node cli/bin.js ')
}

/**
 * What npm starts in the place of `npm run`, which takes longer to start a script than most of them run.
 * @throws Error where there is no such script
 */
export function withoutNpm(commands: string): string {
  return commands.replaceAll(SCRIPT, (_, name: string) => scriptNamed(name))
}

function scriptNamed(name: string): string {
  // npm itself reads it so.
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const script = scripts[name]
  if (script === undefined) throw new Error(`package.json has no script ${name}.`)
  return script.replace(/^exec /, '')
}

/** The lines of nothing but `NAME=value`, exported or not: what follows them in a document counts on them. */
export function assignmentsIn(commands: string): string {
  const value = String.raw`(?:'[^']*'|"\$?[^"$]*"|[^\s$'"]*)`
  const lines = commands.match(new RegExp(`^(?:export )?(?:[A-Z_]+=${value}(?: |$))+$`, 'gm'))
  return lines === null ? '' : `${lines.join('\n')}\n`
}
