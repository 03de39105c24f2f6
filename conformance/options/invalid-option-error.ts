/**
 * Describes an invalid option as plain data.
 * - `option` is a name of `ConformanceOptions`. A dot separates the name of a nested option, e.g. `keys.funded`.
 * - `file` is the target file that sets the option.
 * - `problem` is a predicate such as "must not be empty".
 */
export type InvalidOptionParams = { readonly file?: string } & (
  | { readonly reason: 'missing-target' }
  /** `value` is absent if it may be a secret. */
  | { readonly reason: 'invalid-value'; readonly option: string; readonly value?: string; readonly problem: string }
  | { readonly reason: 'credentials-in-url'; readonly option: string }
  | { readonly reason: 'reserved-header'; readonly option: 'headers'; readonly header: string }
  | { readonly reason: 'same-key'; readonly option: string; readonly other: string }
  /**
   * `value` is neither the ID nor the section of a check. `example` is a valid ID, and `suggestion` is a similar ID or
   * section.
   */
  | { readonly reason: 'unknown-check'; readonly value: string; readonly example: string; readonly suggestion?: string }
  | { readonly reason: 'unknown-observation'; readonly value: string }
  | { readonly reason: 'unknown-mutant'; readonly value: string; readonly example: string }
  | { readonly reason: 'duplicate-known-failure'; readonly id: string }
  | { readonly reason: 'invalid-file'; readonly file: string; readonly problem: string }
  /** `variable` is absent if it may be a secret in the wrong place. */
  | { readonly reason: 'unset-variable'; readonly file: string; readonly field: string; readonly variable?: string }
  /** `option` is the option that requires the npm package. It is absent if mutation testing requires the package. */
  | { readonly reason: 'missing-package'; readonly package: string; readonly option?: 'sdk' | 'runner' }
)

/** Error of a run that does not start because options are invalid or contradict each other. */
export class InvalidOptionError extends Error {
  override readonly name = 'InvalidOptionError'
  readonly code = 'TST_ERR_INVALID_OPTION'
  readonly params: InvalidOptionParams

  constructor(params: InvalidOptionParams) {
    super(describe(params))
    this.params = params
  }
}

function describe(params: InvalidOptionParams): string {
  const { file } = params
  return (file === undefined ? '' : `${file}: `) + describeReason(params)
}

function describeReason(params: InvalidOptionParams): string {
  switch (params.reason) {
    case 'missing-target':
      return 'No target was given: set url, or startEmbedded.'
    case 'invalid-value':
      return `${params.option}${params.value === undefined ? '' : ` ${params.value}`} ${params.problem}.`
    case 'credentials-in-url':
      return `${params.option} must not contain a user name or password: send them in headers.`
    case 'reserved-header':
      return `headers cannot set ${params.header} because the checks set it: set the API keys in keys.`
    case 'same-key':
      return `${params.option} and ${params.other} are the same key: each needs a separate account.`
    case 'unknown-check':
      return params.suggestion === undefined
        ? `No check has the ID or section "${params.value}". Use an ID such as ${params.example}.`
        : `No check has the ID or section "${params.value}". Did you mean ${params.suggestion}?`
    case 'unknown-observation':
      return `"declares" contains ${params.value}, which is not an observation.`
    case 'unknown-mutant':
      return `No mutant has the ID "${params.value}". Use an ID such as ${params.example}.`
    case 'duplicate-known-failure':
      return `knownFailures lists ${params.id} twice: remove one entry.`
    case 'invalid-file':
      return `${params.problem}.`
    case 'unset-variable':
      return `${params.field} refers to the environment variable${params.variable === undefined ? '' : ` ${params.variable}`}, which is not set: set it, or pass the key as an option.`
    case 'missing-package': {
      const user = params.option === undefined ? 'prove' : `The option ${params.option}`
      return `${user} needs the npm package ${params.package}, which is not installed: run npm install ${params.package}.`
    }
  }
}
