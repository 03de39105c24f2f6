import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmulator } from '../../emulator/start-emulator.ts'
import { findFreePort } from '../free-port.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What runs leave in a clone, and what no document is about. */
const NOT_LINKED = new Set(['.git', '.cache', 'coverage', 'dist', 'touchstone-report'])

/** Ports that documents use, and the one that represents a deployment of the reader. */
const PORTS = /\b(?:8080|8099|8100|8471|8731|8732)\b/g
const READERS_PORT = '8080'

/** Where the blocks of one document run. */
export interface DocumentEnvironment {
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Replaces placeholders by the addresses and ports of the test. */
  readonly puttingIn: (text: string) => string
  /** True to run `npm run` itself instead of the script that it starts. */
  readonly hasNpm: boolean
  close(): Promise<void>
}

/** What the commands of a document need besides a clone. */
export interface Prerequisites {
  readonly k6Path: string | undefined
  readonly hasNpm: boolean
}

/** Prepares a directory that looks like a clone, and an emulator with keys in place of the reader's deployment. */
export async function openSurroundings({ k6Path, hasNpm }: Prerequisites): Promise<DocumentEnvironment> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-docs-'))
  const names = (await readdir(ROOT)).filter((name) => !NOT_LINKED.has(name))
  await Promise.all(names.map((name) => symlink(join(ROOT, name), join(directory, name))))
  const emulator = await startEmulator()
  const programs = await linkPrograms(directory, k6Path)
  const ports = new Map([[READERS_PORT, new URL(emulator.url).port]])
  for (const port of ['8099', '8100', '8471', '8731', '8732']) ports.set(port, String(await findFreePort()))
  return {
    directory,
    hasNpm,
    env: environment(emulator.keys, programs, k6Path),
    puttingIn: (text) =>
      text.replaceAll('https://api.example.com', emulator.url).replaceAll(PORTS, (port) => ports.get(port) ?? port),
    close: async () => {
      await emulator.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function linkPrograms(directory: string, k6Path: string | undefined): Promise<string> {
  const programs = join(directory, '.programs')
  await mkdir(programs)
  if (k6Path !== undefined) await symlink(k6Path, join(programs, 'k6'))
  return programs
}

type Keys = Awaited<ReturnType<typeof startEmulator>>['keys']

/** Environment of this process, without the variables that npm and vitest set, and with the keys that documents use. */
function environment(keys: Keys, programs: string, k6Path: string | undefined) {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|INIT_CWD$|VITEST|NODE_ENV$|TOUCHSTONE_)/i.test(name),
  )
  return {
    ...Object.fromEntries(own),
    PATH: `${programs}:${join(ROOT, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
    NO_COLOR: '1',
    KEY: keys.funded,
    POOR_KEY: keys.empty,
    LIMITED_KEY: keys.limited,
    SMALL_KEY: keys.small,
    ...(k6Path === undefined ? {} : { TOUCHSTONE_K6: k6Path }),
  }
}
