import { findBuiltK6, describeFinding, findPackagedK6, findReleasedPackage, runProgram } from '../../load/run-load.ts'
import { formatLoadOptionName } from '../messages/load-messages.ts'
import type { DoctorFinding } from './finding.ts'

type Environment = Readonly<Record<string, string | undefined>>

const PROGRAM_TIMEOUT_MS = 10_000

/**
 * Checks whether this machine has k6, or Go to build it, and a Docker engine. Node.js needs no check, because
 * touchstone does not start with an unsupported version.
 */
export async function checkMachine(environment: Environment, signal: AbortSignal): Promise<DoctorFinding[]> {
  const node: DoctorFinding = { name: 'Node.js', state: 'ok', message: process.versions.node }
  return [node, ...(await Promise.all([checkK6(environment, signal), checkDocker(environment, signal)]))]
}

async function checkK6(environment: Environment, signal: AbortSignal): Promise<DoctorFinding> {
  const path = environment['TOUCHSTONE_K6']
  if (path !== undefined && path !== '') return checkGivenK6(path, environment, signal)
  const built = await findBuiltK6({ cacheDirectory: environment['TOUCHSTONE_CACHE'], environment })
  if (built.exists) return { name: 'k6', state: 'ok', message: `built, at ${built.path}` }
  const packaged = await findPackagedK6()
  if (packaged !== undefined) {
    return 'path' in packaged
      ? { name: 'k6', state: 'ok', message: `installed with touchstone, at ${packaged.path}` }
      : { name: 'k6', state: 'error', message: describeFinding(packaged.finding, formatLoadOptionName) }
  }
  const received = await readOutput('go', ['env', 'GOVERSION'], { environment, signal })
  const [, version = '', major, minor] = /^go((\d+)\.(\d+)\S*)/.exec(received ?? '') ?? []
  const isEnough = Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 25)
  if (isEnough)
    return { name: 'k6', state: 'ok', message: `Go ${version} is installed. The first load test uses Go to build k6` }
  const packageName = await findReleasedPackage()
  return {
    name: 'k6',
    state: 'missing',
    message:
      version === ''
        ? 'k6 and Go are not installed, and touchstone load needs one of them'
        : `Go ${version} is too old to build k6`,
    remedy: `${packageName === null ? '' : `install ${packageName} (npm install --include=optional), `}install Go 1.25 or later, or set TOUCHSTONE_K6 to a k6 with the extension`,
  }
}

async function checkGivenK6(path: string, environment: Environment, signal: AbortSignal): Promise<DoctorFinding> {
  const output = await readOutput(path, ['version'], { environment, signal })
  const version = / (v\d+\.\d+\.\d+\S*) \(.*\bgo\d/.exec(output ?? '')?.[1]
  if (output?.includes('k6/x/touchstone') === true)
    return { name: 'k6', state: 'ok', message: `${version ?? 'k6'} at ${path}` }
  return {
    name: 'k6',
    state: 'error',
    message: `TOUCHSTONE_K6 is ${path}, which ${version === undefined ? 'is not a k6 binary that runs on this machine' : 'does not contain the extension k6/x/touchstone'}`,
    remedy: 'build it from scenarios/extension, or unset the variable',
  }
}

async function checkDocker(environment: Environment, signal: AbortSignal): Promise<DoctorFinding> {
  const args = ['version', '--format', '{{.Server.Version}}']
  const version = (await readOutput('docker', args, { environment, signal }))?.trim()
  return version === undefined || version === ''
    ? {
        name: 'Docker',
        state: 'missing',
        message: 'no engine responds. Only container images and docker compose need one',
        remedy: 'start Docker, or set DOCKER_HOST',
      }
    : { name: 'Docker', state: 'ok', message: version }
}

/** Returns what a program prints to stdout, or undefined if the program is missing, fails or exceeds the timeout. */
async function readOutput(
  program: string,
  args: readonly string[],
  { environment: env, signal }: { readonly environment: Environment; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(PROGRAM_TIMEOUT_MS)])
  const { exitCode, stdout } = await runProgram(program, args, { env, signal: either })
  return exitCode === 0 ? stdout : undefined
}
