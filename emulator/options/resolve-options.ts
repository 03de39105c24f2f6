import { OPERATION_NAMES } from '../../contract/facts.ts'
import type { EmulatorOptions } from './emulator-options.ts'
import { InvalidOptionError } from './invalid-option-error.ts'
import { IN_PROCESS_OPTION_TABLE } from './option-table.ts'
import { readOptions } from './read-options.ts'

/**
 * Type checks for option values that config files cannot contain, by option name. All other values are checked as in a
 * config file.
 */
const PROGRAM_VALUE_CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  latency: isLatencyProfile,
  clock: (value) =>
    ['nowMs', 'arrivedMs', 'unixSeconds', 'unixMs', 'at'].every(
      (name) => typeof getProperty(value, name) === 'function',
    ),
  fixtures: Array.isArray, // The functions that load fixtures and faults validate each item.
  faults: Array.isArray,
}

/**
 * Validates the options that a program passes. Each value must have the type that `EmulatorOptions` declares, or be
 * valid in a config file. JavaScript has no type checks, and an invalid option would break every request.
 * @throws InvalidOptionError if an option is invalid
 */
export function resolveOptions(options: EmulatorOptions): EmulatorOptions {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new InvalidOptionError({ reason: 'not-an-object' })
  }
  const taken: Record<string, unknown> = {}
  const toRead: [name: string, value: unknown][] = []
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (isInProcessOption(name)) taken[name] = validateInteger(name, value)
    else if (PROGRAM_VALUE_CHECKS[name]?.(value) === true) taken[name] = value
    else toRead.push([name, value])
  }
  return { ...readOptions(toRead), ...taken }
}

type InProcessOption = keyof typeof IN_PROCESS_OPTION_TABLE

function isInProcessOption(name: string): name is InProcessOption {
  return Object.hasOwn(IN_PROCESS_OPTION_TABLE, name)
}

function validateInteger(option: InProcessOption, value: unknown): number {
  const { max } = IN_PROCESS_OPTION_TABLE[option]
  if (isNumber(value) && Number.isInteger(value) && value <= max) return value
  const expected = `It must be an integer from 0 to ${max}.`
  throw new InvalidOptionError({ reason: 'invalid-value', option, value: String(value), expected })
}

function isLatencyProfile(value: unknown): boolean {
  const others = OPERATION_NAMES.filter((operation) => operation !== 'chat')
  return (
    isTokenLatency(getProperty(value, 'chat')) &&
    Object.values(getProperty(value, 'byModel') ?? {}).every(isTokenLatency) &&
    others.every((operation) => isDelayDistribution(getProperty(getProperty(value, 'total'), operation))) &&
    isNumber(getProperty(value, 'slowdownPerRequest'))
  )
}

function isTokenLatency(value: unknown): boolean {
  return isDelayDistribution(getProperty(value, 'ttft')) && isDelayDistribution(getProperty(value, 'itl'))
}

/** A log-normal distribution needs a positive median. Its delays would otherwise not be numbers. */
function isDelayDistribution(value: unknown): boolean {
  const [p50Ms, p99Ms] = [getProperty(value, 'p50Ms'), getProperty(value, 'p99Ms')]
  return isNumber(p50Ms) && isNumber(p99Ms) && (p50Ms === p99Ms || (p50Ms > 0 && p50Ms < p99Ms))
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function getProperty(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
