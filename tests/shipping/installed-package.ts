import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mustRun, runProgram } from './run-program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The oldest Node.js that the package is for. */
const OLDEST_NODE = '22.22'

/** The tarball, and a project outside of the repository that has it installed, and nothing else that it did not bring. */
export interface Installed {
  readonly tarball: string
  readonly packedBytes: number
  readonly directory: string
  /** Program files of the Node.js versions to try, by version. */
  readonly nodes: Readonly<Record<string, string>>
}

/** Why there is none here. */
export interface NotInstalled {
  readonly reason: string
}

/** Packs the repository as it is, and installs it. @throws Error when that fails for another reason than the network's */
export async function installPackage(): Promise<Installed | NotInstalled> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-package-'))
  const packed = await mustRun(['npm', 'pack', '--json', '--pack-destination', directory], { cwd: ROOT })
  // npm writes what the build says before its own JSON.
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

/** An empty project whose sources are modules. */
export async function createProject(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'package.json'), JSON.stringify({ name: 'elsewhere', private: true, type: 'module' }))
  return directory
}

const UNREACHABLE = /\b(?:ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENOTCACHED|E50\d)\b/

/** Installs packages into a project. @returns why the network does not give them; undefined when they are there */
export async function install(directory: string, packages: readonly string[]): Promise<string | undefined> {
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  const { exitCode, stderr } = await runProgram(['npm', 'install', ...flags, ...packages], { cwd: directory })
  return exitCode === 0 ? undefined : whyUnreachable(stderr)
}

/** @throws Error when npm failed for another reason than the network's */
export function whyUnreachable(stderr: string): string {
  const code = UNREACHABLE.exec(stderr)?.[0]
  if (code === undefined) throw new Error(`npm failed:\n${stderr}`)
  return `npm packages are out of reach (${code})`
}

/** The version of a package that the repository itself uses. */
export async function ownVersion(name: string): Promise<string> {
  const text = await readFile(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')
  // npm has laid it there.
  return (JSON.parse(text) as { readonly version: string }).version
}

function readPacked(stdout: string): { readonly filename: string; readonly size: number } {
  const json = stdout.slice(stdout.search(/^[[{]$/m))
  // npm's own words: a list, or the packages by name.
  const value = JSON.parse(json) as Readonly<Record<string, { readonly filename: string; readonly size: number }>>
  const [only] = Object.values(value)
  if (only === undefined) throw new Error(`npm pack told of no package: ${stdout}`)
  return only
}
