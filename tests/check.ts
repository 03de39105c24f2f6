/**
 * `npm run check`: checks types, style, formatting and dead code. Runs the programs in parallel, and prints the output
 * of each when it exits. Exit code 1 if one of them finds a problem.
 */
import { execFile } from 'node:child_process'

/** Later runs check only what has changed. */
const CACHE = 'node_modules/.cache/check'

const COMMANDS = [
  `tsc --incremental --tsBuildInfoFile ${CACHE}/all.tsbuildinfo`,
  'tsc -p scenarios',
  'tsc -p tsconfig.browser.json',
  'oxlint',
  'oxfmt --check',
  'knip --cache',
] as const

const failed = (await Promise.all(COMMANDS.map(async (command) => ((await succeeds(command)) ? [] : [command])))).flat()
if (failed.length > 0) {
  process.stdout.write(`check: failed: ${failed.join(', ')}\n`)
  process.exitCode = 1
}

/** Runs a program of node_modules/.bin, which npm puts on the PATH of a script. */
function succeeds(command: string): Promise<boolean> {
  const [program, ...options] = command.split(' ')
  return new Promise((resolve) => {
    const colors = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}
    const settings = { env: { ...process.env, ...colors }, maxBuffer: Infinity, shell: process.platform === 'win32' }
    execFile(program ?? command, options, settings, (error, stdout, stderr) => {
      process.stdout.write(`$ ${command}\n${stdout}${stderr}`)
      resolve(error === null)
    })
  })
}
