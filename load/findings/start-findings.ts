import type { ModelOperation } from '../../scenarios/lib/option-values.ts'
import type { OptionName } from '../options/invalid-option-error.ts'
import { describeRequestFailure, type RequestFailure } from '../target/request-failure.ts'
import type { FindingSentence, OptionNameFormatter } from './define.ts'

type MissingModel = {
  readonly operation: ModelOperation
  readonly model: string
  readonly isDefault: boolean
  readonly status: number
  /** The first models of the list. Empty without a list. */
  readonly listed: readonly string[]
  /** Number of further models in the list. */
  readonly more: number
}

/** Findings of a run that did not start. */
export const START_FINDINGS = {
  /**
   * Neither k6, nor a Go of at least `minGo` that could build k6, is installed. `packageName` is the package that
   * contains k6 for this platform, or null if this version of touchstone was released without one.
   */
  'k6-missing': ({ minGo, packageName }: { readonly minGo: string; readonly packageName: string | null }, name) =>
    packageName === null
      ? `There is no k6 that can generate the load. Put Go ${minGo} or later on the PATH, so that touchstone can build k6, or give the path of a k6 with the extension (${name('k6')}). scenarios/extension/README.md describes the build.`
      : `There is no k6 that can generate the load: the package ${packageName} is not installed. Install touchstone with optional dependencies (npm install --include=optional), put Go ${minGo} or later on the PATH, or give the path of a k6 with the extension (${name('k6')}).`,
  /** The k6 at `path` in the installed package `name` differs from the k6 that was released with this version. */
  'k6-package-changed': (params: { readonly name: string; readonly path: string }, name) =>
    `${params.path} is not the k6 of this version of touchstone: its SHA-256 differs. Install ${params.name} again, or give the path of another k6 (${name('k6')}).`,
  /** The k6 in the installed package `name` cannot be read. `problem` is the system's error code, such as `ENOENT`. */
  'k6-package-unreadable': (params: { readonly name: string; readonly path: string; readonly problem: string }, name) =>
    `Cannot read ${params.path}: ${params.problem}. Install ${params.name} again, or give the path of another k6 (${name('k6')}).`,
  /** The system could not start k6. `problem` is its error code, such as `EACCES`. */
  'k6-not-started': ({ path, problem }: { readonly path: string; readonly problem: string }, name) =>
    `Cannot start ${path}: ${problem}. Check that the file is executable and belongs to this platform, or give the path of another k6 (${name('k6')}).`,
  /** The cache directory for k6 binaries is not writable. `problem` is the system's error code, such as `EACCES`. */
  'k6-cache-not-writable': ({ directory, problem }: { readonly directory: string; readonly problem: string }, name) =>
    `Cannot store k6 in ${directory}: ${problem}. Set TOUCHSTONE_CACHE to another directory, or give the path of a built k6 (${name('k6')}).`,
  /** `go build` failed. `message` is the last line that it printed. */
  'k6-build-failed': ({ message }: { readonly message: string }, name) =>
    `Cannot build k6 from scenarios/extension: ${message}. The first build needs network access to download Go modules. Alternatively, give the path of a built k6 (${name('k6')}).`,
  /** `isProxied` is true if the request went through a proxy of the environment. */
  'target-unreachable': (
    params: { readonly target: string; readonly failure: RequestFailure; readonly isProxied?: boolean },
    name,
  ) =>
    params.isProxied === true
      ? `Cannot reach ${params.target} through the proxy: ${describeProxiedFailure(params.target, params.failure, name)}. Check that the proxy and the service are running, or exclude the target with NO_PROXY.`
      : describeUnreachable(
          params.target,
          params.failure,
          name,
          `Start the service, or omit ${name('target')} to load-test the built-in emulator.`,
        ),
  /** The proxy responded with status 407. */
  'proxy-requires-credentials': ({ target }: { readonly target: string }) =>
    `The proxy for ${target} requires a user name and a password (status 407): write them into its variable, such as http://name:password@proxy:3128.`,
  'target-requires-key': ({ target }: { readonly target: string }, name) =>
    `${target} requires a key: set ${name('key')}.`,
  'target-rejects-key': ({ target, status }: { readonly target: string; readonly status: number }, name) =>
    `${target} rejected the key (status ${status}). Set ${name('key')} to a valid key.`,
  /** The scenario requires a key. `option` is the option that sets it. */
  'scenario-requires-key': ({ scenario, option }: { readonly scenario: string; readonly option: OptionName }, name) =>
    `The scenario ${scenario} needs a key: set ${name(option)}.`,
  /**
   * The list of models of the target does not contain `model`, or no list could be read, and a request with the model
   * got `status`. `isDefault` is true if the user did not choose the model.
   */
  'model-missing': describeMissingModel,
} satisfies Record<string, FindingSentence>

/** Describes why a run cannot use a server. Advises to start it only if no server may be running. */
export function describeUnreachable(
  server: string,
  failure: RequestFailure,
  name: OptionNameFormatter,
  startAdvice: string,
): string {
  const problem = `${server}: ${describeRequestFailure(failure, name)}.`
  switch (failure.cause) {
    case 'network':
    case 'timeout':
      return `Cannot reach ${problem} ${startAdvice}`
    case 'http':
      return `Cannot use ${problem} Check the scheme, http or https, and the port.`
    default:
      return `Cannot use ${problem}`
  }
}

/** The certificate of an http target is that of an https proxy, to which the options for the target do not apply. */
function describeProxiedFailure(target: string, failure: RequestFailure, name: OptionNameFormatter): string {
  return failure.cause === 'untrusted-certificate' && target.startsWith('http:')
    ? 'the certificate of the proxy is not trusted (set NODE_EXTRA_CA_CERTS and SSL_CERT_FILE to a file with the certificate of its issuer)'
    : describeRequestFailure(failure, name)
}

function describeMissingModel(
  { operation, model, isDefault, status, listed, more }: MissingModel,
  name: OptionNameFormatter,
): string {
  const named = `${model}${isDefault ? ' (the default)' : ''}`
  const hint = model.includes(',') ? ' A comma is part of the ID: a run uses one model for each operation.' : ''
  if (listed.length === 0) {
    return `A ${operation} request with the model ${named} got status ${status}, and no list of models could be read. Check the base URL (${name('target')}) and the model (${name('models')}).${hint}`
  }
  const others = more === 0 ? '' : ` and ${more} ${more === 1 ? 'other' : 'others'}`
  const [id = ''] = listed
  // Without an operation, the part of the value before = would be one.
  const value = operation === 'chat' && !id.includes('=') ? id : `${operation}=${id}`
  const example = /^[\w%+=:,./-]+$/.test(value) ? value : `'${value}'`
  return `The target does not serve the model ${named}: its list of models does not contain it, and a ${operation} request got status ${status}. It lists ${listed.join(', ')}${others}. Set ${name('models')} to a model for ${operation}, such as ${example}.${hint}`
}
