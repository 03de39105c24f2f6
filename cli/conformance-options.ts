import { readFile } from 'node:fs/promises'
import {
  type ConformanceOptions,
  type EmbeddedTarget,
  OWN_EMULATOR,
  UsageError,
} from '../conformance/run-conformance.ts'
import { knownFailuresOf, withTargetFile } from './target-file.ts'
import { TOOL_VERSION } from './version.ts'

/** The flags of `touchstone conformance` as commander gives them, environment included. */
export interface ConformanceFlags {
  readonly target?: string
  readonly targetFile?: string
  readonly key?: string
  readonly noCreditsKey?: string
  readonly limitedKey?: string
  readonly smallKey?: string
  readonly smallBalance?: number
  readonly limitedBurst?: number
  readonly burst?: true
  readonly baseUrl?: string
  readonly header?: readonly string[]
  readonly ca?: string
  readonly insecure?: true
  readonly only?: readonly string[]
  readonly skip?: readonly string[]
  readonly sdk?: true
  readonly budget?: readonly string[]
  readonly samples?: number
  readonly knownFailing?: string
  readonly strict?: true
  readonly acceptIncomplete?: true
  readonly maxRequests?: number
  readonly maxCredits?: number
  readonly timeoutMs: number
  readonly maxSeconds: number
  readonly concurrency: number
  readonly front: 'direct' | 'vitest'
  readonly out: string
  readonly list?: true
  readonly dryRun?: true
  readonly json?: true
}

/** Flags as options of a run. @throws UsageError when a file cannot be read */
export async function conformanceOptions(flags: ConformanceFlags): Promise<ConformanceOptions> {
  const { target, header, budget, knownFailing, ca, smallBalance, ...same } = flags
  const file = targetFileOf(flags)
  const given: ConformanceOptions = {
    ...same,
    ...(target === undefined || target === file ? {} : { url: target }),
    keys: keysOf(flags),
    ...(smallBalance === undefined ? {} : { declarations: { smallBalance } }),
    ...(header === undefined ? {} : { headers: header }),
    ...(budget === undefined ? {} : { budgets: budget }),
    ...(knownFailing === undefined ? {} : { knownFailures: await knownFailuresOf(knownFailing) }),
    ...(ca === undefined ? {} : { ca: await readAuthority(ca) }),
    toolVersion: TOOL_VERSION,
  }
  if (file !== undefined) {
    return withTargetFile({ flag: file === target ? '--target' : '--target-file', file }, given)
  }
  return target === undefined ? { ...given, ...EMBEDDED } : given
}

/** A target file is given by its flag, or in the place of the address. */
function targetFileOf({ target, targetFile }: ConformanceFlags): string | undefined {
  const isFile = target !== undefined && target.endsWith('.json') && !URL.canParse(target)
  if (isFile && targetFile !== undefined) {
    throw new UsageError(`--target ${target} and --target-file ${targetFile} are both files: give one, or an address.`)
  }
  return isFile ? target : targetFile
}

function keysOf({
  key,
  noCreditsKey,
  limitedKey,
  smallKey,
}: ConformanceFlags): NonNullable<ConformanceOptions['keys']> {
  return {
    ...(key === undefined ? {} : { funded: key }),
    ...(noCreditsKey === undefined ? {} : { noCredits: noCreditsKey }),
    ...(limitedKey === undefined ? {} : { limited: limitedKey }),
    ...(smallKey === undefined ? {} : { small: smallKey }),
  }
}

async function readAuthority(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--ca ${file} cannot be read (${error.code ?? error.message}): name a PEM file`)
  })
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new UsageError(`--ca ${file} holds no certificate: name a PEM file`)
  }
  return text
}

async function startEmbedded(): Promise<EmbeddedTarget> {
  // Loaded here only: a run against a deployment has no use for it.
  const { startEmulator } = await import('../emulator/start-emulator.ts')
  const { url, keys, close } = await startEmulator({ decisions: OWN_EMULATOR.decisions })
  return { url, keys: { funded: keys.funded, noCredits: keys.empty, limited: keys.limited, small: keys.small }, close }
}

const EMBEDDED: Pick<ConformanceOptions, 'startEmbedded' | 'declarations'> = {
  startEmbedded,
  declarations: OWN_EMULATOR.declarations,
}
