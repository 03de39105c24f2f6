import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import { OPERATIONS } from '../../contract/facts.ts'
import type { LoadTarget } from '../../reports/load-document.ts'
import type { DeclaredLimit } from '../../scenarios/lib/option-values.ts'
import type { LoadFinding } from '../findings/finding.ts'
import type { LoadContext } from '../options/load-context.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import { type LoadKeys, selectKeys, type LoadOptions, selectModels } from '../options/load-options.ts'
import { isEmulator } from './emulator-client.ts'
import { inspectTarget } from './preflight.ts'

/** A target that is ready for the load, or the finding that explains why it is not. */
export interface OpenedTarget {
  readonly url: string
  readonly entry: LoadTarget
  readonly keys: LoadKeys
  readonly limit: DeclaredLimit | undefined
  readonly smallBalance: string | undefined
  readonly problem: LoadFinding | undefined
  /** IDs of the models that the target lists. Empty if the target has no list. */
  readonly listed: readonly string[]
  /** The model of the run, if the user did not choose it and the target lists no other. */
  readonly listedModel?: string
  close(): Promise<void>
}

/** Returns whether requests to the target contain no key. It then has no accounts, and therefore no credits. */
export function isKeyless({ keys }: Pick<OpenedTarget, 'keys'>): boolean {
  return Object.keys(keys).length === 0
}

/** Returns notes on what the user did not give: the model, if the target lists only one, and the key. */
export function describeOmissions(target: Pick<OpenedTarget, 'keys' | 'listedModel'>): LoadFinding[] {
  const { listedModel: model } = target
  return [
    ...(model === undefined ? [] : [{ code: 'listed-model-used', params: { model } } as const]),
    ...(isKeyless(target) ? [{ code: 'requests-without-key', params: {} } as const] : []),
  ]
}

/**
 * Prepares the target of a run. Starts an emulator if the options contain no target; otherwise checks that the target
 * responds.
 * @throws InvalidOptionError for an invalid address, or for a certificate file that cannot be read
 */
export async function openTarget(
  options: LoadOptions,
  { startEmbedded, proxy, signal }: LoadContext,
): Promise<OpenedTarget> {
  if (options.target === undefined) {
    const { url, keys: own, limit, smallBalance, close } = await startEmbedded()
    const entry = entryOf(options, { url, embedded: true, isEmulator: true, keys: own })
    const { listed } = await inspectTarget(url, own, {}, { signal })
    return { url, entry, keys: own, limit, smallBalance, problem: undefined, listed, close }
  }
  const url = parseTarget(options.target)
  const keys = selectKeys(options)
  const { problem, listed } = await inspectTarget(url, keys, options, { proxy, signal })
  const entry = entryOf(options, {
    url,
    embedded: false,
    // Behind a proxy, the emulator's record does not describe the latencies of the client. With an upstream, the target
    // counts as a gateway.
    isEmulator:
      proxy === undefined && problem === undefined && options.upstream === undefined && (await isEmulator(url, signal)),
    keys,
  })
  return {
    url,
    entry,
    keys,
    limit: options.limit,
    smallBalance: options.smallBalance,
    problem,
    listed,
    close: async () => undefined,
  }
}

/**
 * Parses a base URL and removes a trailing `/v1`.
 * @throws InvalidOptionError
 */
export function parseTarget(target: string, option: 'target' | 'upstream' = 'target'): string {
  const url = URL.parse(target)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // The message omits the value, which may be an API key.
    throw invalidTarget(
      option,
      target.trim() === ''
        ? 'It is empty. Set it to the address of the target, such as http://127.0.0.1:8080.'
        : `It is not an http or https address. ${suggestAddress(target)}`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw invalidTarget(option, 'It contains a user name or password, which reports would show: omit them.')
  }
  if (url.search !== '' || url.hash !== '') {
    throw invalidTarget(option, 'It contains a query or a fragment: omit them.')
  }
  const address = `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  const operation = Object.values(OPERATIONS).find(({ path }) => address.endsWith(path))
  if (operation !== undefined) {
    const base = address.slice(0, -operation.path.length)
    throw invalidTarget(option, `It contains the path of an operation. Did you mean ${base}?`)
  }
  return address.replace(/\/v1$/, '')
}

/**
 * Matches a host with a port or a dot, and an optional path, but without a scheme. API keys contain neither a port nor
 * a dot.
 */
const HOST_WITHOUT_SCHEME = /^(?!sk-)(?=[^/]*[.:])[\w.-]+(?::\d+)?(?:\/[\w./-]*)?$/

/** Returns a sentence with the address and a scheme if the text is a host, and otherwise with an example. */
function suggestAddress(text: string): string {
  return HOST_WITHOUT_SCHEME.test(text)
    ? `Did you mean http://${text}?`
    : 'Use an address such as http://127.0.0.1:8080.'
}

function invalidTarget(option: 'target' | 'upstream', problem: string): InvalidOptionError {
  return new InvalidOptionError({ reason: 'invalid-value', option, value: '', problem })
}

function entryOf(
  options: LoadOptions,
  { keys, ...known }: Pick<LoadTarget, 'url' | 'embedded' | 'isEmulator'> & { keys: LoadKeys },
): LoadTarget {
  const shown = Object.entries(keys).map(([role, key]) => [role, fingerprintSecret(key)])
  return { ...known, keys: Object.fromEntries(shown), models: selectModels(options) }
}
