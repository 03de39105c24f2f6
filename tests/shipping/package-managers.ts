import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { COMMONJS_PROGRAM, CONSUMER_PROGRAMS } from './consumer-files.ts'
import { findRegistryProblem, type InstallationProblem, type InstalledPackage } from './installed-package.ts'
import { runProgram } from './run-program.ts'

/** Package managers other than npm, with their version and the command that adds a package. */
export const PACKAGE_MANAGERS = [
  ['pnpm', '10'],
  ['yarn', '1.22.22'],
] as const

/** Output of the programs that `useWith` runs. */
export const EXPECTED_OUTPUT = [
  `${CONSUMER_PROGRAMS['touchstone/emulator/in-process'].prints}\n`,
  `${COMMONJS_PROGRAM.prints}\n`,
  expect.stringMatching(/^Documentation:\s+node_modules\/\S*touchstone\/docs\/README\.md$/m),
]

/**
 * Installs the package with a package manager, in a project of the form that `npm init -y` creates, and runs an ES
 * module, a CommonJS program and the command there.
 * @returns the output of each program
 */
export async function useWith(
  [manager, version]: (typeof PACKAGE_MANAGERS)[number],
  { tarball, directory }: InstalledPackage,
): Promise<readonly string[] | InstallationProblem> {
  const project = join(dirname(directory), manager)
  await mkdir(project)
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'elsewhere', type: 'commonjs' }))
  const exec = ['npm', 'exec', '--yes', '--prefer-offline', `--package=${manager}@${version}`, '--', manager]
  const added = await runProgram([...exec, 'add', `file:${tarball}`], { cwd: project })
  if (added.exitCode !== 0) return { reason: findRegistryProblem(added.stdout + added.stderr) }
  await writeFile(join(project, 'program.mjs'), CONSUMER_PROGRAMS['touchstone/emulator/in-process'].program)
  await writeFile(join(project, 'program.js'), COMMONJS_PROGRAM.program)
  const printed: string[] = []
  for (const program of [['program.mjs'], ['program.js'], ['node_modules/touchstone/dist/cli/bin.js', '--help']]) {
    const { stdout, stderr } = await runProgram([process.execPath, ...program], { cwd: project })
    printed.push(stdout + stderr)
  }
  return printed
}
