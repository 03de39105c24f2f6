import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// `npm run test:mutation -- [flags of Stryker]`: installs the mutation tester if it is missing, and runs it.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const STRYKER = 'tests/mutation/node_modules/@stryker-mutator/core/bin/stryker.js'

if (!existsSync(join(ROOT, STRYKER))) {
  process.stdout.write('Installing the mutation tester into tests/mutation/node_modules (once, about 63 MB).\n')
  const npm = process.env['npm_execpath']
  if (npm === undefined) throw new Error('Start this program with: npm run test:mutation')
  // Runs npm with Node.js. On Windows, npm's command is a batch file, which cannot be started without a shell.
  const flags = ['--prefix', 'tests/mutation', '--no-audit', '--no-fund']
  execFileSync(process.execPath, [npm, 'ci', ...flags], { cwd: ROOT, stdio: 'inherit' })
}
const args = [STRYKER, 'run', 'tests/mutation/stryker.config.js', ...process.argv.slice(2)]
const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
child.on('close', (exitCode) => (process.exitCode = exitCode ?? 1))
