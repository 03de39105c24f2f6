import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ProgramResult, runOrThrow, runProgram } from './run-program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Runs docker.
 * @throws Error with its whole output
 */
export function docker(...args: readonly string[]): Promise<ProgramResult> {
  return runOrThrow(['docker', ...args], { cwd: ROOT })
}

/**
 * Runs docker compose, as the plugin or as the standalone program.
 * @throws Error with its whole output
 */
export async function compose(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<ProgramResult> {
  const plugin = await runProgram(['docker', 'compose', 'version'], { cwd: ROOT })
  return runOrThrow([...(plugin.exitCode === 0 ? ['docker', 'compose'] : ['docker-compose']), ...args], {
    cwd: ROOT,
    env,
  })
}

/** Returns why containers cannot run here; undefined if a Docker engine answers. */
export async function findEngineProblem(): Promise<string | undefined> {
  const { exitCode } = await runProgram(['docker', 'version'], { cwd: ROOT }).catch(() => ({ exitCode: null }))
  return exitCode === 0 ? undefined : 'no Docker engine is reached'
}

/**
 * Returns why an image is not available that a file of this repository names as `${VARIABLE:-image}`; undefined if it
 * is present or can be pulled. `.ci/base-images` builds substitutes where no image registry can be reached.
 */
export async function findImageProblem(file: string, variable: string): Promise<string | undefined> {
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

/** Reads one property of a container or an image with a Go template. */
export async function inspect(name: string, template: string): Promise<string> {
  return (await docker('inspect', '--format', template, name)).stdout.trim()
}

/**
 * Waits until a container is healthy.
 * @throws Error if it has exited or is unhealthy
 */
export async function waitUntilHealthy(id: string): Promise<void> {
  for (let state = 'starting'; state !== 'healthy'; state = await inspect(id, '{{.State.Health.Status}}')) {
    if (state === 'unhealthy' || (await inspect(id, '{{.State.Running}}')) !== 'true') {
      const { stdout, stderr } = await docker('logs', id)
      throw new Error(`the container is ${state}:\n${stdout}${stderr}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}
