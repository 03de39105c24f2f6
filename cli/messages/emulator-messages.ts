import type { NameOption } from '../../common/options/invalid-option-error.ts'
import { type EmulatorOptions, InvalidOptionError } from '../../emulator/start-emulator.ts'

export function describeStartError(
  error: NodeJS.ErrnoException,
  { port, host = '127.0.0.1' }: EmulatorOptions,
  placeOf: NameOption,
): string {
  if (error instanceof InvalidOptionError) return error.describe(placeOf)
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use on ${host}. Choose another port with --port, or any free port with --port 0.`
    case 'EACCES':
      return `The operating system does not allow this user to listen on port ${port}. Choose a port above 1023 with --port.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address ${host}. Use --host 127.0.0.1, or 0.0.0.0 for all addresses.`
    default:
      return `The emulator cannot listen on ${host}:${port} (${error.code ?? error.message}).`
  }
}

/** Options that have no effect while an upstream serves all requests. */
const UNUSED_WITH_RECORD = [
  'seed',
  'answerTokens',
  'latency',
  'publicUrl',
  'limitedRate',
  'createdRate',
  'accounts',
  'models',
  'faults',
  'allowFaultHeader',
] as const satisfies readonly (keyof EmulatorOptions)[]

/** Describes the options that have no effect because of other options, with one sentence for each reason. */
export function describeUnusedOptions(options: EmulatorOptions, placeOf: NameOption): string[] {
  const describe = (names: readonly (keyof EmulatorOptions)[], condition: string): string[] => {
    const unused = names.filter((name) => options[name] !== undefined && options[name] !== false)
    const verb = unused.length === 1 ? 'has' : 'have'
    return unused.length === 0 ? [] : [`Warning: ${unused.map(placeOf).join(', ')} ${verb} no effect ${condition}.`]
  }
  return [
    ...(options.record === undefined ? [] : describe(UNUSED_WITH_RECORD, `with ${placeOf('record')}`)),
    ...(options.record === undefined ? describe(['recordDir', 'recordMissing'], `without ${placeOf('record')}`) : []),
    ...(options.replay === undefined && !(options.record !== undefined && options.recordMissing === true)
      ? describe(['replayPace', 'replayIgnore'], `without ${placeOf('replay')}`)
      : []),
  ]
}
