import type { Requirement } from '../../requirements/requirement.ts'
import { UsageError } from '../../targets/usage-error.ts'
import type { Check } from '../check.ts'
import type { Suite } from './settings.ts'

/** A check with the row it rests on. */
export interface PlannedCheck {
  readonly check: Check
  readonly requirement: Requirement
}

/** What a run sets out to do. `planned` is in the order of the document; checks that run alone come last in time only. */
export interface Plan {
  readonly planned: readonly PlannedCheck[]
  readonly notPlanned: readonly { readonly id: string; readonly reason: string }[]
}

/** The checks to make, by id or section; empty lists choose nothing away. */
interface Choice {
  readonly only: readonly string[]
  readonly skip: readonly string[]
}

/**
 * Pairs checks with their rows and applies the choice.
 * @throws UsageError when a selector matches nothing; Error when rows and checks do not fit together.
 */
export function planRun(suite: Suite, choice: Choice): Plan {
  const all = pairUp(suite)
  for (const selector of [...choice.only, ...choice.skip]) {
    if (!all.some((entry) => matches(entry, selector))) {
      throw new UsageError(
        `No check has the id or section "${selector}": --list shows all ids, e.g. --only ${all[0]?.check.id ?? '5'}.`,
      )
    }
  }
  const planned: PlannedCheck[] = []
  const notPlanned: { id: string; reason: string }[] = []
  for (const entry of all) {
    if (choice.only.length > 0 && !choice.only.some((selector) => matches(entry, selector))) {
      notPlanned.push({ id: entry.check.id, reason: 'not among what --only names' })
    } else if (choice.skip.some((selector) => matches(entry, selector))) {
      notPlanned.push({ id: entry.check.id, reason: 'left out by --skip' })
    } else {
      planned.push(entry)
    }
  }
  return { planned, notPlanned }
}

function matches({ check, requirement }: PlannedCheck, selector: string): boolean {
  const isSection = requirement.section === selector || requirement.section.startsWith(`${selector}.`)
  return check.id === selector || requirement.id === selector || isSection
}

/** Rows and checks must name each other, each id once: otherwise a run could leave a sentence untested without a word. */
function pairUp({ requirements, checks }: Suite): PlannedCheck[] {
  const byId = new Map(checks.map((check) => [check.id, check]))
  const rowIds = new Set(requirements.map((row) => row.id))
  if (byId.size < checks.length || rowIds.size < requirements.length) {
    throw new Error('Two checks or two requirements have the same id.')
  }
  const pairs = requirements.flatMap((requirement) => {
    const ids = 'checks' in requirement ? requirement.checks : []
    return ids.map((id) => {
      const check = byId.get(id)
      if (check?.requirement !== requirement.id) {
        throw new Error(`Requirement ${requirement.id} lists the check ${id}, which does not rest on it.`)
      }
      return { check, requirement }
    })
  })
  const listed = new Set(pairs.map((pair) => pair.check.id))
  const orphan = checks.find((check) => !listed.has(check.id))
  if (orphan !== undefined || listed.size < pairs.length) {
    throw new Error(`The check ${orphan?.id ?? ''} is not listed exactly once by the requirement it names.`)
  }
  return pairs
}
