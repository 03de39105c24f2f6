import { OPERATIONS } from '../../contract/facts.ts'
import { readOptions } from './read-options.ts'
import { InvalidOptionError } from './setting-fault.ts'
import type { EmulatorOptions } from '../start-emulator.ts'

/** The longest that a timer of Node can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** What a program can give and no file can, by the name of the option. */
const PROGRAM_VALUES: Readonly<Record<string, (value: unknown) => boolean>> = {
  latency: isLatencyProfile,
  clock: (value) => ['nowMs', 'arrivedMs', 'unixSeconds', 'unixMs', 'at'].every((name) => isFunction(at(value, name))),
  fixtures: Array.isArray, // each is read where they are loaded
  faults: Array.isArray,
}

/** Options that there are for programs alone, and the most that each can be. */
const NUMBER_OPTIONS: Readonly<Record<string, number>> = {
  frozenAtUnixSeconds: 9_999_999_999,
  drainLimitMs: MAX_TIMER_MS,
}

/**
 * Takes options as a program gives them: each is what its type says, or is read as in a config file. No compiler looks at what
 * plain JavaScript gives, and what cannot be would break one request after another.
 * @throws SettingFault with one sentence that names the option
 */
export function resolveOptions(options: EmulatorOptions): EmulatorOptions {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new InvalidOptionError('The options of an emulator must be an object such as {"seed": 7}.')
  }
  const taken: Record<string, unknown> = {}
  const toRead: [name: string, value: unknown][] = []
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    const most = NUMBER_OPTIONS[name]
    if (most !== undefined) taken[name] = checkNumber(name, value, most)
    else if (PROGRAM_VALUES[name]?.(value) === true) taken[name] = value
    else toRead.push([name, value])
  }
  const read = readOptions(toRead)
  if (typeof read === 'string') throw new InvalidOptionError(read)
  return { ...read, ...taken }
}

function checkNumber(name: string, value: unknown, most: number): number {
  if (isNumber(value) && Number.isInteger(value) && value <= most) return value
  throw new InvalidOptionError(`The setting '${name}' must be an integer from 0 to ${most}.`)
}

function isLatencyProfile(value: unknown): boolean {
  const others = Object.keys(OPERATIONS).filter((operation) => operation !== 'chat')
  return (
    isTokenLatency(at(value, 'chat')) &&
    Object.values(at(value, 'byModel') ?? {}).every(isTokenLatency) &&
    others.every((operation) => isDelayDistribution(at(at(value, 'total'), operation))) &&
    isNumber(at(value, 'slowdownPerRequest'))
  )
}

function isTokenLatency(value: unknown): boolean {
  return isDelayDistribution(at(value, 'ttft')) && isDelayDistribution(at(value, 'gap'))
}

function isDelayDistribution(value: unknown): boolean {
  return isNumber(at(value, 'p50Ms')) && isNumber(at(value, 'p99Ms'))
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

/** A field of what may be anything. */
function at(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
