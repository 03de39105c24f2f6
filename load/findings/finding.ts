import type { OptionNameFormatter } from './define.ts'
import { GATEWAY_FINDINGS } from './gateway-findings.ts'
import { RUN_FINDINGS } from './run-findings.ts'
import { SEARCH_FINDINGS } from './search-findings.ts'
import { START_FINDINGS } from './start-findings.ts'

/**
 * A finding about a load run: a reason for its verdict, or for not starting it. `code` is stable. `params` are plain
 * JSON data in which options have their names of `LoadOptions`. `describeFinding` formats a finding as text.
 */
export type LoadFinding = { readonly [Code in keyof FindingParams]: FindingWithCode<Code> }[keyof FindingParams]

interface FindingWithCode<Code extends keyof FindingParams> {
  readonly code: Code
  readonly params: FindingParams[Code]
}

type EmptyParams = Readonly<Record<never, never>>
type Entries = typeof START_FINDINGS & typeof GATEWAY_FINDINGS & typeof RUN_FINDINGS & typeof SEARCH_FINDINGS

/**
 * Parameters of each finding, keyed by code. The suffix `Ms` means milliseconds, and `S` seconds. Credits are decimal
 * strings.
 */
type FindingParams = {
  readonly [Code in keyof Entries]: Parameters<Entries[Code]> extends [infer Params, ...unknown[]]
    ? Params
    : EmptyParams
}

const SENTENCES: {
  readonly [Code in keyof FindingParams]: (params: FindingParams[Code], name: OptionNameFormatter) => string
} = { ...START_FINDINGS, ...GATEWAY_FINDINGS, ...RUN_FINDINGS, ...SEARCH_FINDINGS }

/** Describes a finding: the problem and, if there is one, the remedy. */
export function describeFinding<Code extends keyof FindingParams>(
  { code, params }: FindingWithCode<Code>,
  name: OptionNameFormatter,
): string {
  return SENTENCES[code](params, name)
}

export function describeFindings(findings: readonly LoadFinding[], name: OptionNameFormatter): string[] {
  return findings.map((finding) => describeFinding(finding, name))
}
