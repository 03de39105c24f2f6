import { fileURLToPath } from 'node:url'
import { type Ended, mustRun, runProgram } from './run-program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** An image to build on where no image registry is reached; it has Node.js and Go (`.ci/base-image`). */
const BASE_IMAGE = 'TOUCHSTONE_BASE_IMAGE'

/** Runs docker. @throws Error with all that it said */
export function docker(...args: readonly string[]): Promise<Ended> {
  return mustRun(['docker', ...args], { cwd: ROOT })
}

/** Why there are no containers here; undefined where a Docker engine is reached. */
export async function whyNoEngine(): Promise<string | undefined> {
  const { exitCode } = await runProgram(['docker', 'version'], { cwd: ROOT }).catch(() => ({ exitCode: null }))
  return exitCode === 0 ? undefined : 'no Docker engine is reached'
}

/** Builds a target of the Dockerfile from this tree. @returns the name of the image, and of what it is based on */
export async function buildImage(target: 'emulator' | 'runner'): Promise<string> {
  const base = process.env[BASE_IMAGE] ?? ''
  const args =
    base === '' ? [] : ['--network', 'host', ...['NODE', 'GO'].map((name) => `--build-arg=${name}_IMAGE=${base}`)]
  const image = `touchstone-test-${target}`
  await docker('build', ...args, '--target', target, '--tag', image, '.')
  return image
}

/** How the images are meant to be run: nothing to write to, nothing to gain. */
export const HARDENED = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges']

/** A container that runs until it is removed. */
export interface Container {
  readonly id: string
  /** Where a port of it is reached from here. */
  url(port: number): Promise<string>
  [Symbol.asyncDispose](): Promise<void>
}

export async function startContainer(
  image: string,
  options: readonly string[],
  args: readonly string[] = [],
): Promise<Container> {
  const { stdout } = await docker('run', '--detach', ...HARDENED, ...options, image, ...args)
  const id = stdout.trim()
  return {
    id,
    url: async (port) => `http://${(await docker('port', id, `${port}/tcp`)).stdout.split('\n')[0]}`,
    [Symbol.asyncDispose]: async () => {
      await docker('rm', '--force', '--volumes', id)
    },
  }
}

/** One fact of a container or an image, by a Go template. */
export async function inspect(name: string, template: string): Promise<string> {
  return (await docker('inspect', '--format', template, name)).stdout.trim()
}

/** Waits until a container says that it is healthy. @throws Error when it has ended, or says that it is not */
export async function untilHealthy({ id }: Container): Promise<void> {
  for (let state = 'starting'; state !== 'healthy'; state = await inspect(id, '{{.State.Health.Status}}')) {
    if (state === 'unhealthy' || (await inspect(id, '{{.State.Running}}')) !== 'true') {
      const { stdout, stderr } = await docker('logs', id)
      throw new Error(`the container is ${state}:\n${stdout}${stderr}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

/** Runs docker compose, as a plugin or, where there is none, as a program of its own. @throws Error with all that it said */
export async function compose(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ended> {
  const plugin = await runProgram(['docker', 'compose', 'version'], { cwd: ROOT })
  return mustRun([...(plugin.exitCode === 0 ? ['docker', 'compose'] : ['docker-compose']), ...args], { cwd: ROOT, env })
}
