import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { ClientProgram, Installation } from './clients.ts'
import type { ClientCommand } from './run-client.ts'

const run = promisify(execFile)
const HERE = import.meta.dirname
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024
const MAVEN_GOAL = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'

/** Describes the installation of the packages that the programs of a language use. */
interface PackageManager {
  /** Commands that must be on the machine. */
  readonly commands: readonly string[]
  /** File that pins the versions, relative to this directory. */
  readonly pins: string
  readonly versionPattern: (name: string) => string
  /** Directory to copy into the installation directory, relative to this directory. */
  readonly source?: string
  /** Installs the packages into a directory that contains only the source. */
  readonly install?: (directory: string) => Promise<void>
  readonly build?: (directory: string) => Promise<void>
  readonly command: (directory: string, program: string) => Omit<ClientCommand, 'directory'>
}

const PACKAGE_MANAGERS: Readonly<Record<Installation, PackageManager>> = {
  javascript: {
    commands: ['npm'],
    pins: 'javascript/package.json',
    versionPattern: (name) => `"${name}": "(.+)"`,
    source: 'javascript',
    install: (directory) => execute(directory, 'npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts']),
    command: (directory, program) => ({ command: process.execPath, arguments: [join(directory, program)] }),
  },
  'requirements-openai-2': pip('python/requirements-openai-2.txt'),
  'requirements-openai-3': pip('python/requirements-openai-3.txt'),
  go: {
    commands: ['go'],
    pins: 'go/go.mod',
    versionPattern: (name) => `${name} v(\\S+)`,
    source: 'go',
    build: (directory) => execute(directory, 'go', ['build', '-o', 'clients', '.']),
    command: (directory, program) => ({ command: join(directory, program), arguments: [] }),
  },
  java: {
    commands: ['mvn', 'javac'],
    pins: 'java/pom.xml',
    versionPattern: (name) => `<artifactId>${name}</artifactId>\\s*<version>(.+)</version>`,
    source: 'java',
    install: (directory) => execute(directory, 'mvn', ['--batch-mode', '--quiet', MAVEN_GOAL, '-DoutputDirectory=lib']),
    build: async (directory) => {
      const sources = readdirSync(directory).filter((name) => name.endsWith('.java'))
      await execute(directory, 'javac', ['-parameters', '-cp', 'lib/*', '-d', 'classes', ...sources])
    },
    command: (_, program) => ({ command: 'java', arguments: ['-cp', 'classes:lib/*', program] }),
  },
}

function pip(requirements: string): PackageManager {
  return {
    commands: ['python3'],
    pins: requirements,
    versionPattern: (name) => `^${name}==(\\S+)`,
    install: async (directory) => {
      await execute(directory, 'python3', ['-m', 'venv', directory])
      const flags = ['install', '--quiet', '--no-deps', '--requirement', join(HERE, requirements)]
      await execute(directory, join(directory, 'bin', 'pip'), flags)
    },
    command: (directory, program) => ({
      command: join(directory, 'bin', 'python'),
      arguments: [join(HERE, 'python', program)],
    }),
  }
}

/**
 * Returns a message about the commands that this machine lacks to install a client, or undefined if it has them all.
 */
export function findMissingCommand(installation: Installation): string | undefined {
  const missing = PACKAGE_MANAGERS[installation].commands.filter((command) => !isOnPath(command))
  return missing.length === 0 ? undefined : `${missing.join(' and ')} must be installed`
}

/** Finds a command without running it, because commands use different flags to print their version. */
function isOnPath(command: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((directory) => existsSync(join(directory, command)))
}

export function readPinnedVersion({ installation, package: name }: ClientProgram): string {
  const { pins, versionPattern } = PACKAGE_MANAGERS[installation]
  const version = new RegExp(versionPattern(name), 'm').exec(readFileSync(join(HERE, pins), 'utf8'))?.[1]
  if (version === undefined) throw new Error(`${pins} does not pin a version of ${name}.`)
  return version
}

/**
 * Installs the packages of a client into the cache, unless these versions are already installed.
 * @returns the command that runs the client's program
 */
export async function installClient({ installation, program }: ClientProgram, cache: string): Promise<ClientCommand> {
  const { pins, source, install, build, command } = PACKAGE_MANAGERS[installation]
  const directory = join(cache, installation)
  const installed = join(directory, 'installed.txt')
  const versions = readFileSync(join(HERE, pins), 'utf8')
  const isCurrent = existsSync(installed) && readFileSync(installed, 'utf8') === versions
  if (!isCurrent) rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  if (source !== undefined) cpSync(join(HERE, source), directory, { recursive: true })
  if (!isCurrent) await install?.(directory)
  await build?.(directory)
  writeFileSync(installed, versions)
  return { ...command(directory, program), directory }
}

async function execute(directory: string, command: string, list: readonly string[]): Promise<void> {
  await run(command, list, { cwd: directory, maxBuffer: MAX_OUTPUT_BYTES })
}
