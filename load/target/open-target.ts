import type { LoadTarget } from '../../reports/load-document.ts'
import type { DeclaredLimit } from '../../scenarios/lib/load-settings.ts'
import type { LoadKeys, LoadOptions, LoadSurroundings } from '../options/load-options.ts'
import { shownEnd } from '../k6/redact-keys.ts'
import { isEmulator } from './emulator-client.ts'
import { findTargetProblem } from './preflight.ts'
import { LoadUsageError } from '../options/invalid-option-error.ts'

/** A target that is ready, or says why it is not. */
export interface OpenTarget {
  readonly url: string
  readonly entry: LoadTarget
  readonly keys: LoadKeys
  readonly limit: DeclaredLimit | undefined
  readonly smallBalance: string | undefined
  /** One sentence: it cannot be loaded. */
  readonly problem: string | undefined
  close(): Promise<void>
}

/** Starts the emulator where no target was given, and looks at the target otherwise. @throws LoadUsageError when its address, or what it is trusted by, is none */
export async function openTarget(options: LoadOptions, { startEmbedded }: LoadSurroundings): Promise<OpenTarget> {
  const { keys } = options
  if (options.target === undefined) {
    const { url, keys: own, limit, smallBalance, close } = await startEmbedded()
    const entry = entryOf(options, { url, embedded: true, isEmulator: true, keys: own })
    return { url, entry, keys: own, limit, smallBalance, problem: undefined, close }
  }
  const url = baseOf(options.target)
  // Not with the key of a limited or a small account: the request would take from what the run is about to measure.
  const problem = await findTargetProblem(url, keys, options)
  const entry = entryOf(options, {
    url,
    embedded: false,
    isEmulator: problem === undefined && (await isEmulator(url)),
    keys,
  })
  return {
    url,
    entry,
    keys,
    limit: options.limit,
    smallBalance: options.smallBalance,
    problem,
    close: async () => undefined,
  }
}

/** The base address without `/v1`. @throws LoadUsageError */
export function baseOf(target: string): string {
  const url = URL.parse(target)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new LoadUsageError('--target is not an http or https address: write it like http://127.0.0.1:8080.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new LoadUsageError('--target holds a user name or password, which would end up in reports: leave them out.')
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/v1$/, '')
}

function entryOf(
  { models }: LoadOptions,
  { keys, ...known }: Pick<LoadTarget, 'url' | 'embedded' | 'isEmulator'> & { keys: LoadKeys },
): LoadTarget {
  const ends = Object.entries(keys).map(([role, key]) => [role, shownEnd(key)])
  return { ...known, keys: Object.fromEntries(ends), models }
}
