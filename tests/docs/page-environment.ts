import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmulator } from '../../emulator/start-emulator.ts'
import { findFreePort } from '../../common/testing/free-port.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Files that are not linked into the directory of a page: Git's data, caches and generated output. */
const NOT_LINKED = new Set(['.git', '.cache', 'coverage', 'dist', 'touchstone-report'])

/** Matches the ports that pages use for servers, including the port of the reader's deployment. */
const PORTS = /\b(?:8080|8099|8100|8471|8731|8732)\b/g
const READERS_PORT = '8080'

export interface PageEnvironment {
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Replaces placeholders with the addresses and ports of the test. */
  readonly replacePlaceholders: (text: string) => string
  /** Whether to run `npm run` itself instead of the script's command. */
  readonly hasNpm: boolean
  close(): Promise<void>
}

/** Programs that the commands of a page need, besides a clone of the repository. */
export interface PagePrerequisites {
  readonly k6Path: string | undefined
  readonly hasNpm: boolean
}

/**
 * Prepares a directory that looks like a clone of the repository, and starts an emulator that represents the reader's
 * deployment.
 */
export async function createPageEnvironment({ k6Path, hasNpm }: PagePrerequisites): Promise<PageEnvironment> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-docs-'))
  const names = (await readdir(ROOT)).filter((name) => !NOT_LINKED.has(name))
  await Promise.all(names.map((name) => symlink(join(ROOT, name), join(directory, name))))
  await linkPackage(directory)
  // Delays the events of streams, because the suite cannot measure streams whose events arrive all at once.
  const emulator = await startEmulator({ faults: ['operation=chat,itlMs=10'] })
  const programs = await linkPrograms(directory, k6Path)
  const ports = new Map([[READERS_PORT, new URL(emulator.url).port]])
  for (const port of ['8099', '8100', '8471', '8731', '8732']) ports.set(port, String(await findFreePort()))
  return {
    directory,
    hasNpm,
    env: environment(emulator.keys, programs, k6Path),
    replacePlaceholders: (text) =>
      text.replaceAll('https://api.example.com', emulator.url).replaceAll(PORTS, (port) => ports.get(port) ?? port),
    close: async () => {
      await emulator.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Creates the files that package.json exports, so that a page can import `touchstone/emulator` like a user. */
async function linkPackage(directory: string): Promise<void> {
  // The cast is safe: every entry of `exports` is a path or an object of paths.
  const { exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  }
  const paths = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? entry : Object.values(entry)))
  for (const path of paths.filter((path) => path.endsWith('.js'))) {
    const source = join(ROOT, path.replace('./dist/', '').replace(/js$/, 'ts'))
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), `export * from ${JSON.stringify(source)}\n`)
  }
}

async function linkPrograms(directory: string, k6Path: string | undefined): Promise<string> {
  const programs = join(directory, '.programs')
  await mkdir(programs)
  if (k6Path !== undefined) await symlink(k6Path, join(programs, 'k6'))
  return programs
}

type Keys = Awaited<ReturnType<typeof startEmulator>>['keys']

/**
 * Returns the environment variables of this process without those of npm, vitest, Node.js and touchstone, and with the
 * keys that pages use.
 */
function environment(keys: Keys, programs: string, k6Path: string | undefined) {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|INIT_CWD$|VITEST|NODE_ENV$|TOUCHSTONE_)/i.test(name),
  )
  return {
    ...Object.fromEntries(own),
    PATH: `${programs}:${join(ROOT, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
    NO_COLOR: '1',
    KEY: keys.funded,
    POOR_KEY: keys.noCredits,
    LIMITED_KEY: keys.limited,
    SMALL_KEY: keys.small,
    ...(k6Path === undefined ? {} : { TOUCHSTONE_K6: k6Path }),
  }
}
