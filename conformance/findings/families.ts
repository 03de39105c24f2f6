import { AGENTS } from './agents.ts'
import { BODY } from './body.ts'
import { BREAKDOWNS } from './breakdowns.ts'
import type { AnyFinding, FindingEntry, ParamsOf } from './define.ts'
import { GATEWAY } from './gateway.ts'
import { KEYS_AND_CREDITS } from './keys-and-credits.ts'
import { LIMITS } from './limits.ts'
import { MEDIA } from './media.ts'
import { NOT_TESTED, SUITE_ERRORS } from './not-tested.ts'
import { RESULTS } from './results.ts'
import { RUN_ENDS } from './run-obstacle.ts'
import { REMARKS } from './run-remark.ts'
import { STATUS } from './status.ts'
import { STREAMS } from './streams.ts'

/* All codes of findings. A new code belongs to a file of this list, which defines everything about it. */

const DEVIATIONS = {
  ...STATUS,
  ...BODY,
  ...STREAMS,
  ...MEDIA,
  ...KEYS_AND_CREDITS,
  ...LIMITS,
  ...BREAKDOWNS,
  ...AGENTS,
  ...GATEWAY,
}
const OBSTACLES = { ...NOT_TESTED, ...RUN_ENDS }
const FINDINGS = { ...DEVIATIONS, ...OBSTACLES, ...SUITE_ERRORS, ...RESULTS }

export type FindingParams = { readonly [Code in keyof typeof FINDINGS]: ParamsOf<(typeof FINDINGS)[Code]> }

export type FindingCode = keyof FindingParams

export const FINDING_CODES: readonly string[] = Object.keys(FINDINGS)

type FindingWithCode<Codes extends FindingCode> = {
  [Code in Codes]: { readonly code: Code; readonly params: FindingParams[Code] }
}[Codes]

export type Finding = FindingWithCode<FindingCode>
/** A finding that contradicts an expectation. */
export type Deviation = FindingWithCode<keyof typeof DEVIATIONS>
/** A reason why a check is not testable. */
export type Obstacle = FindingWithCode<keyof typeof OBSTACLES>

/** Returns the entry of a code. Its functions accept the parameters of this code only. */
export function getFindingEntry({ code }: AnyFinding): FindingEntry<object> {
  const entries: Readonly<Record<string, FindingEntry<never>>> = { ...FINDINGS, ...REMARKS }
  const entry = entries[code]
  if (entry === undefined) throw new Error(`There is no finding with the code ${code}.`)
  // A finding has the parameters of its code, see `FindingWithCode`.
  return entry as FindingEntry<object>
}
