import type { OptionNameFormatter } from '../options/table-options.ts'

/** What clients suffer from a finding, worst first. Reports sort causes by it. */
export const HARMS = ['data', 'money', 'hang', 'hidden-error', 'status', 'form'] as const

export type Harm = (typeof HARMS)[number]

/** Noun phrases in the plural for the requests and responses of a cause. Titles of causes contain them. */
export interface Where {
  /** For example `Invalid requests to GET /v1/models`. */
  readonly requests: string
  /** For example `Chat completions`. */
  readonly responses: string
  /** Paths of the fields that the findings concern, for example `created` and `choices[].text`, as Markdown code. */
  readonly fields: string
  /** Statuses that the checks expect, such as `400`, or the declared behaviour, if they expect one of these. */
  readonly status: string | undefined
  /** Whether only requests that ran in parallel with others show the findings. */
  readonly isParallel: boolean
}

/** A code with its parameters, whose types are not known. */
export interface AnyFinding {
  readonly code: string
  readonly params: object
}

/** What sentences need besides their parameters. */
export interface TextContext {
  readonly name: OptionNameFormatter
  /** Formats the sentence of a finding that is a parameter of another finding. */
  describe(finding: AnyFinding): string
}

/** Everything that a code of a finding defines. */
export interface FindingEntry<Params> {
  /** Default: `form`. */
  readonly harm?: Harm | ((params: Params) => Harm)
  /** Formats the finding for the report. No program reads this text. */
  sentence(params: Params, context: TextContext): string
  /** Formats the title of a cause. Default: the responses and the sentence. */
  title?(params: Params, where: Where): string
  /** Parameters that distinguish causes. Default: all findings with the code have one cause. */
  groupBy?(params: Params): readonly unknown[]
  /** Describes how the owner removes the cause. */
  remedy?(params: Params): string | undefined
}

/** Defines a code of a finding. `Params` are its parameters, which the document contains. */
export function defineFinding<Params extends object>(entry: FindingEntry<Params>): FindingEntry<Params> {
  return entry
}

/** Defines a finding about the run. Findings with the same parameters have one cause. */
export function defineRunFinding<Params extends object>(
  describe: (params: Params, name: OptionNameFormatter) => string,
): FindingEntry<Params> {
  return { sentence: (params, { name }) => describe(params, name), groupBy: (params) => [params] }
}

export type ParamsOf<Entry> = Entry extends FindingEntry<infer Params> ? Params : never

/** Formats a list, e.g. `a`, `a and b` or `a, b and c`. Lists at most five items, and states the number of the others. */
export function formatList(items: readonly string[], last: 'and' | 'or' = 'and'): string {
  const shown = items.length > 5 ? [...items.slice(0, 4), `${items.length - 4} more`] : items
  const [end = '', ...before] = shown.toReversed()
  return before.length === 0 ? end : `${before.toReversed().join(', ')} ${last} ${end}`
}
