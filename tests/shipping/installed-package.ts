import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runOrThrow, runProgram } from './run-program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The oldest supported version of Node.js. */
const OLDEST_NODE = '22.22'

/** The tarball, and a project outside the repository that has only this package installed. */
export interface Installed {
  readonly tarball: string
  readonly packedBytes: number
  readonly directory: string
  /** Paths of the Node.js binaries to try, keyed by version. */
  readonly nodes: Readonly<Record<string, string>>
}

/** Why the package could not be installed. */
export interface NotInstalled {
  readonly reason: string
}

/**
 * Packs the repository and installs the tarball.
 * @throws Error if that fails for a reason other than the network
 */
export async function installPackage(): Promise<Installed | NotInstalled> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-package-'))
  const packed = await runOrThrow(['npm', 'pack', '--json', '--pack-destination', directory], { cwd: ROOT })
  // npm prints the output of the build before its own JSON.
  const { filename, size } = readPacked(packed.stdout)
  const project = await createProject(join(directory, 'project'))
  const node = `node-${process.platform}-${process.arch}`
  const tarball = join(directory, filename)
  const problem = await install(project, [tarball, `${node}@${OLDEST_NODE}`])
  if (problem !== undefined) return { reason: problem }
  return {
    tarball,
    packedBytes: size,
    directory: project,
    nodes: { [OLDEST_NODE]: join(project, 'node_modules', node, 'bin', 'node'), own: process.execPath },
  }
}

/** Creates an empty project with `"type": "module"`. */
export async function createProject(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'package.json'), JSON.stringify({ name: 'elsewhere', private: true, type: 'module' }))
  return directory
}

const UNREACHABLE = /\b(?:ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENOTCACHED|E50\d)\b/

/**
 * Installs packages into a project.
 * @returns why the network did not deliver them; undefined on success
 */
export async function install(directory: string, packages: readonly string[]): Promise<string | undefined> {
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  const { exitCode, stderr } = await runProgram(['npm', 'install', ...flags, ...packages], { cwd: directory })
  return exitCode === 0 ? undefined : findRegistryProblem(stderr)
}

/** @throws Error if npm failed for a reason other than the network */
export function findRegistryProblem(stderr: string): string {
  const code = UNREACHABLE.exec(stderr)?.[0]
  if (code === undefined) throw new Error(`npm failed:\n${stderr}`)
  return `npm packages are out of reach (${code})`
}

/** Returns the version of a package that this repository uses. */
export async function readOwnVersion(name: string): Promise<string> {
  const text = await readFile(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')
  // npm installed it there.
  return (JSON.parse(text) as { readonly version: string }).version
}

function readPacked(stdout: string): { readonly filename: string; readonly size: number } {
  const json = stdout.slice(stdout.search(/^[[{]$/m))
  // The output of npm is a list, or an object keyed by package.
  const value = JSON.parse(json) as Readonly<Record<string, { readonly filename: string; readonly size: number }>>
  const [only] = Object.values(value)
  if (only === undefined) throw new Error(`npm pack told of no package: ${stdout}`)
  return only
}
