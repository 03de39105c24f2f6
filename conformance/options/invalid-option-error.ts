import { nameProperty, type NameOption, OptionError } from '../../common/options/invalid-option-error.ts'

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
  /** `example` is a valid ID, and `suggestion` an ID or section that is similar to `value`. */
  | {
      readonly reason: 'unknown-check'
      readonly value: string
      readonly example: string
      readonly suggestion?: string | undefined
    }
  /** `excluded` contains the reasons why the run excludes the checks, such as "excluded by skip". */
  | { readonly reason: 'no-check-selected'; readonly excluded: readonly string[] }
  /** A selected check belongs to the suite for gateways. */
  | { readonly reason: 'missing-upstream'; readonly value: string }
  | { readonly reason: 'unknown-observation'; readonly value: string }
  | { readonly reason: 'unknown-mutant'; readonly value: string; readonly example: string }
  | { readonly reason: 'duplicate-known-failure'; readonly id: string }
  | { readonly reason: 'invalid-file'; readonly file: string; readonly problem: string }
  /** `variable` is absent if it may be a secret in the wrong place. */
  | { readonly reason: 'unset-variable'; readonly file: string; readonly field: string; readonly variable?: string }
  /** `option` is the option that requires the npm package. It is absent if mutation testing requires the package. */
  | { readonly reason: 'missing-package'; readonly package: string; readonly option?: 'sdk' }
)

/** Error of a run that does not start because options are invalid or contradict each other. */
export class InvalidOptionError extends OptionError<InvalidOptionParams> {
  constructor(params: InvalidOptionParams) {
    super(params, describe)
  }
}

function describe(params: InvalidOptionParams, name: NameOption): string {
  // In a target file, each option is a field with the option's name.
  return params.file === undefined
    ? describeReason(params, name)
    : `${params.file}: ${describeReason(params, nameProperty)}`
}

function describeReason(params: InvalidOptionParams, name: NameOption): string {
  switch (params.reason) {
    case 'missing-target':
      return `No target was given. Set ${name('url')}.`
    case 'invalid-value':
      return `${name(params.option)}${params.value === undefined ? '' : ` ${params.value}`} ${params.problem}.`
    case 'credentials-in-url':
      return `${name(params.option)} must not contain a user name or password, which reports would show. Omit them.`
    case 'reserved-header':
      return `${name(params.option)} cannot set ${params.header}, because the checks set it. Set the API key with ${name('keys.funded')}.`
    case 'same-key':
      return `${name(params.option)} and ${name(params.other)} are the same key. Use a separate account for each.`
    case 'missing-upstream':
      return `${params.value} needs an upstream: set ${name('upstream')} to the URL of the emulator behind the gateway.`
    case 'unknown-check':
      return params.suggestion === undefined
        ? `No check has the ID or section "${params.value}". Use a section (4.2), its name (chat), or an ID (${params.example}).`
        : `No check has the ID or section "${params.value}". Did you mean ${params.suggestion}?`
    case 'no-check-selected':
      return `The options select no check (${params.excluded.join('; ')}). Change ${name('only')} or ${name('skip')}.`
    case 'unknown-observation':
      return `"declares" contains ${params.value}, which is not an observation.`
    case 'unknown-mutant':
      return `No mutant has the ID "${params.value}". Use an ID such as ${params.example}.`
    case 'duplicate-known-failure':
      return `${params.id} is listed twice as a known failure. Remove one entry.`
    case 'invalid-file':
      return `${params.problem}.`
    case 'unset-variable': {
      const variable = params.variable === undefined ? '' : ` ${params.variable}`
      return `${params.field} refers to the environment variable${variable}, which is not set. Set it, or set the option of the key.`
    }
    case 'missing-package': {
      const option = params.option === undefined ? undefined : name(params.option)
      const user = option === undefined ? 'prove' : `The option ${option}`
      const otherwise = option === undefined ? '' : `, or omit ${option}`
      return `${user} needs the npm package ${params.package}, which is not installed: run npm install ${params.package}${otherwise}.`
    }
  }
}
