import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ProgramResult, runProgramOrThrow, runProgram } from './run-program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Runs `docker`.
 * @throws Error with the command's whole output
 */
export function runDocker(...args: readonly string[]): Promise<ProgramResult> {
  return runProgramOrThrow(['docker', ...args], { cwd: ROOT })
}

/** Runs a command of Compose in the repository until it exits, whatever its exit code. */
export async function tryCompose(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<ProgramResult> {
  return runProgram(await composeCommand(args), { cwd: ROOT, env })
}

/**
 * Runs Docker Compose as a plugin or as the standalone program.
 * @throws Error with the command's whole output
 */
export async function runCompose(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<ProgramResult> {
  return runProgramOrThrow(await composeCommand(args), { cwd: ROOT, env })
}

async function composeCommand(args: readonly string[]): Promise<readonly string[]> {
  const plugin = await runProgram(['docker', 'compose', 'version'], { cwd: ROOT })
  return [...(plugin.exitCode === 0 ? ['docker', 'compose'] : ['docker-compose']), ...args]
}

/** Describes why this machine cannot run containers. Returns undefined if a Docker engine responds. */
export async function findEngineProblem(): Promise<string | undefined> {
  const { exitCode } = await runProgram(['docker', 'version'], { cwd: ROOT }).catch(() => ({ exitCode: null }))
  return exitCode === 0 ? undefined : 'no Docker engine is reached'
}

/**
 * Describes why an image that a file names as `${VARIABLE:-image}` is not available. Returns undefined if the image is
 * present or can be pulled. `.ci/base-images` builds substitutes on machines that cannot reach an image registry.
 */
export async function findContainerImageProblem(file: string, variable: string): Promise<string | undefined> {
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

/** Reads a property of a container or an image with a Go template. */
export async function inspectObject(name: string, template: string): Promise<string> {
  return (await runDocker('inspect', '--format', template, name)).stdout.trim()
}

/**
 * Waits until a container is healthy.
 * @throws Error if the container has exited or is unhealthy
 */
export async function waitUntilHealthy(id: string): Promise<void> {
  for (let state = 'starting'; state !== 'healthy'; state = await inspectObject(id, '{{.State.Health.Status}}')) {
    if (state === 'unhealthy' || (await inspectObject(id, '{{.State.Running}}')) !== 'true') {
      const { stdout, stderr } = await runDocker('logs', id)
      throw new Error(`the container is ${state}:\n${stdout}${stderr}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}
