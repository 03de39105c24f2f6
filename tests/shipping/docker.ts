import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Ended, mustRun, runProgram } from './run-program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Runs docker. @throws Error with all that it said */
export function docker(...args: readonly string[]): Promise<Ended> {
  return mustRun(['docker', ...args], { cwd: ROOT })
}

/** Runs docker compose, as a plugin or, where there is none, as a program of its own. @throws Error with all that it said */
export async function compose(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ended> {
  const plugin = await runProgram(['docker', 'compose', 'version'], { cwd: ROOT })
  return mustRun([...(plugin.exitCode === 0 ? ['docker', 'compose'] : ['docker-compose']), ...args], { cwd: ROOT, env })
}

/** Why there are no containers here; undefined where a Docker engine is reached. */
export async function whyNoEngine(): Promise<string | undefined> {
  const { exitCode } = await runProgram(['docker', 'version'], { cwd: ROOT }).catch(() => ({ exitCode: null }))
  return exitCode === 0 ? undefined : 'no Docker engine is reached'
}

/**
 * Why an image that a file of this repository names, as `${VARIABLE:-image}`, cannot be had; undefined where it is here or can
 * be fetched. `.ci/base-images` makes others, where no registry is reached.
 */
export async function whyNoImage(file: string, variable: string): Promise<string | undefined> {
  const text = await readFile(join(ROOT, file), 'utf8')
  const usual = new RegExp(String.raw`\$\{${variable}:-([^}]+)\}`).exec(text)?.[1]
  if (usual === undefined) throw new Error(`${file} names no usual ${variable}`)
  const name = process.env[variable] || usual
  for (const command of [
    ['image', 'inspect'],
    ['pull', '--quiet'],
  ]) {
    const { exitCode } = await runProgram(['docker', ...command, name], { cwd: ROOT })
    if (exitCode === 0) return undefined
  }
  return `the image ${name} is neither here nor within reach`
}

/** One fact of a container or an image, by a Go template. */
export async function inspect(name: string, template: string): Promise<string> {
  return (await docker('inspect', '--format', template, name)).stdout.trim()
}

/** Waits until a container says that it is healthy. @throws Error when it has ended, or says that it is not */
export async function untilHealthy(id: string): Promise<void> {
  for (let state = 'starting'; state !== 'healthy'; state = await inspect(id, '{{.State.Health.Status}}')) {
    if (state === 'unhealthy' || (await inspect(id, '{{.State.Running}}')) !== 'true') {
      const { stdout, stderr } = await docker('logs', id)
      throw new Error(`the container is ${state}:\n${stdout}${stderr}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}
