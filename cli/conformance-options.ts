import { readFile } from 'node:fs/promises'
import { type ConformanceOptions, type EmbeddedTarget, UsageError } from '../conformance/run-conformance.ts'
import { TOOL_VERSION } from './version.ts'

/** The flags of `touchstone conformance` as commander gives them, environment included. */
export interface ConformanceFlags {
  readonly target?: string
  readonly key?: string
  readonly noCreditsKey?: string
  readonly limitedKey?: string
  readonly limitedBurst: number
  readonly burst?: true
  readonly baseUrl?: string
  readonly header?: readonly string[]
  readonly ca?: string
  readonly insecure?: true
  readonly only?: readonly string[]
  readonly skip?: readonly string[]
  readonly strict?: true
  readonly acceptIncomplete?: true
  readonly maxRequests?: number
  readonly maxCredits?: number
  readonly timeoutMs: number
  readonly concurrency: number
  readonly front: 'direct' | 'vitest'
  readonly out: string
  readonly list?: true
  readonly dryRun?: true
}

/** Flags as options of a run. @throws UsageError when a file cannot be read */
export async function conformanceOptions(flags: ConformanceFlags): Promise<ConformanceOptions> {
  const { target, key, noCreditsKey, limitedKey, header, ca, list: _list, dryRun: _dryRun, out: _out, ...same } = flags
  return {
    ...same,
    ...(target === undefined ? { startEmbedded } : { url: target }),
    keys: {
      ...(key === undefined ? {} : { funded: key }),
      ...(noCreditsKey === undefined ? {} : { noCredits: noCreditsKey }),
      ...(limitedKey === undefined ? {} : { limited: limitedKey }),
    },
    ...(header === undefined ? {} : { headers: header }),
    ...(ca === undefined ? {} : { ca: await readAuthority(ca) }),
    toolVersion: TOOL_VERSION,
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
  const { url, keys, close } = await startEmulator()
  return { url, keys: { funded: keys.funded, noCredits: keys.empty, limited: keys.limited }, close }
}
