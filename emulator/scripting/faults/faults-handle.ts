import { MAX_FAULT_RULES, type FaultInjector, type FaultState } from './faults.ts'
import { parseRules } from './read-rules.ts'
import { InvalidOptionError } from '../../options/setting-fault.ts'
import type { FaultRule } from './rule.ts'

/** A rule of a fault script, or the same as in a flag: `operation=chat,times=2,status=500`. */
export type FaultInput = FaultRule | string

/** What the process that an emulator runs in can do with its faults. */
export interface FaultsHandle {
  /** Adds a rule after those that are there. @returns its use so far, which goes on. @throws when it cannot be read */
  add(rule: FaultInput): Readonly<FaultState>
  list(): readonly Readonly<FaultState>[]
  clear(): void
}

/** The handle of a script. */
export function createFaultsHandle(faults: FaultInjector): FaultsHandle {
  return {
    add(rule) {
      const [added] = faults.add(parseFaultInputs([rule])) ?? []
      if (added === undefined) throw new Error(`There can be ${MAX_FAULT_RULES} faults at most.`)
      return added
    },
    list: () => faults.list(),
    clear: () => faults.clear(),
  }
}

/** Reads rules as a program gives them. @throws SettingFault with one sentence when one of them cannot be read */
export function parseFaultInputs(given: readonly FaultInput[]): readonly FaultRule[] {
  const rules = parseRules(given)
  if (typeof rules === 'string') throw new InvalidOptionError(rules)
  return rules
}
