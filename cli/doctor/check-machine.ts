import { describeFinding, findK6, InvalidOptionError, runProgram } from '../../load/run-load.ts'
import { formatLoadOptionName } from '../messages/load-messages.ts'
import type { DoctorFinding } from './finding.ts'

type Environment = Readonly<Record<string, string | undefined>>

const PROGRAM_TIMEOUT_MS = 10_000

/**
 * Checks whether this machine has k6, or Go to build it, and a Docker engine. Node.js needs no check, because
 * touchstone does not start with an unsupported version.
 */
export async function checkMachine(environment: Environment, given: AbortSignal): Promise<DoctorFinding[]> {
  const node: DoctorFinding = { name: 'Node.js', state: 'ok', message: process.versions.node }
  const signal = AbortSignal.any([given, AbortSignal.timeout(PROGRAM_TIMEOUT_MS)])
  return [node, ...(await Promise.all([checkK6(environment, signal), checkDocker(environment, signal)]))]
}

async function checkK6(environment: Environment, signal: AbortSignal): Promise<DoctorFinding> {
  const name = 'k6'
  const { TOUCHSTONE_K6: path, TOUCHSTONE_CACHE: cacheDirectory } = environment
  try {
    const found = await findK6({ path, cacheDirectory, environment, signal })
    if ('path' in found) return { name, state: 'ok', message: `at ${found.path}` }
    if ('go' in found)
      return { name, state: 'ok', message: `${found.go} is installed. The first load test uses Go to build k6` }
    const { finding } = found
    const state = finding.code === 'k6-missing' ? 'missing' : 'error'
    return { name, state, message: describeFinding(finding, formatLoadOptionName) }
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error
    return { name, state: 'error', message: error.describe(formatLoadOptionName) }
  }
}

async function checkDocker(environment: Environment, signal: AbortSignal): Promise<DoctorFinding> {
  const name = 'Docker'
  const args = ['version', '--format', '{{.Server.Version}}']
  const { exitCode, stdout } = await runProgram('docker', args, { env: environment, signal })
  if (exitCode === 0 && stdout.trim() !== '') return { name, state: 'ok', message: stdout.trim() }
  const message = 'no engine responds. Only container images and docker compose need one'
  return { name, state: 'missing', message, remedy: 'start Docker, or set DOCKER_HOST' }
}
