import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runProgramOrThrow, runProgram } from './run-program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Versions of Node.js to test besides the own one: the oldest supported one, and the newest one. */
const OTHER_NODES = ['22.22', '26']

/** The tarball of the package, and a project outside the repository in which only this package is installed. */
export interface InstalledPackage {
  readonly tarball: string
  readonly packedBytes: number
  readonly directory: string
  /** Paths of the Node.js binaries to test, keyed by version. */
  readonly nodes: Readonly<Record<string, string>>
}

export interface InstallationProblem {
  readonly reason: string
}

/**
 * Packs the repository and installs the tarball in a new project.
 * @throws Error if a step fails for a reason other than the network
 */
export async function installPackage(): Promise<InstalledPackage | InstallationProblem> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-package-'))
  const packed = await runProgramOrThrow(['npm', 'pack', '--json', '--pack-destination', directory], { cwd: ROOT })
  // npm prints the output of the build script before its JSON.
  const { filename, size } = readPacked(packed.stdout)
  const project = await createProject(join(directory, 'project'))
  const tarball = join(directory, filename)
  const aliases = OTHER_NODES.map(
    (version) => `node-${version}@npm:node-${process.platform}-${process.arch}@${version}`,
  )
  const problem = await installPackages(project, [tarball, ...aliases])
  if (problem !== undefined) return { reason: problem }
  return {
    tarball,
    packedBytes: size,
    directory: project,
    nodes: {
      ...Object.fromEntries(
        OTHER_NODES.map((version) => [version, join(project, 'node_modules', `node-${version}`, 'bin', 'node')]),
      ),
      own: process.execPath,
    },
  }
}

/** Creates an empty project whose package.json contains `"type": "module"`, and returns its directory. */
export async function createProject(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'package.json'), JSON.stringify({ name: 'elsewhere', private: true, type: 'module' }))
  return directory
}

const UNREACHABLE = /\b(?:ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENOTCACHED|E50\d)\b/

/**
 * Installs packages in a project.
 * @returns the network problem that prevented it, or undefined on success
 */
export async function installPackages(directory: string, packages: readonly string[]): Promise<string | undefined> {
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  const { exitCode, stderr } = await runProgram(['npm', 'install', ...flags, ...packages], { cwd: directory })
  return exitCode === 0 ? undefined : findRegistryProblem(stderr)
}

/**
 * Finds the network error in npm's output, and returns a message about it.
 * @throws Error if npm failed for a different reason
 */
export function findRegistryProblem(stderr: string): string {
  const code = UNREACHABLE.exec(stderr)?.[0]
  if (code === undefined) throw new Error(`npm failed:\n${stderr}`)
  return `npm packages are out of reach (${code})`
}

/** Returns the version of a dependency that is installed in this repository. */
export async function readInstalledVersion(name: string): Promise<string> {
  const text = await readFile(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')
  // The cast is safe: npm installs only packages with a version.
  return (JSON.parse(text) as { readonly version: string }).version
}

function readPacked(stdout: string): { readonly filename: string; readonly size: number } {
  const json = stdout.slice(stdout.search(/^[[{]$/m))
  // npm prints either a list or an object keyed by package name, depending on its version.
  const value = JSON.parse(json) as Readonly<Record<string, { readonly filename: string; readonly size: number }>>
  const [only] = Object.values(value)
  if (only === undefined) throw new Error(`npm pack reported no package: ${stdout}`)
  return only
}
