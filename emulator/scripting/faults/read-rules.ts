import { parseRuleText } from './read-rule-text.ts'
import { parseRule } from './read-rule.ts'
import type { FaultRule } from './rule.ts'

/**
 * Reads rules from a JSON value: one rule, a list of them, or `{"faults": [...]}`. A rule may also be a text as in a flag.
 * @returns the rules, or one sentence that says which is wrong and how
 */
export function parseRules(value: unknown): readonly FaultRule[] | string {
  const isWrapped = typeof value === 'object' && value !== null && 'faults' in value
  const inner: unknown = isWrapped ? value.faults : value
  if (!Array.isArray(inner)) {
    const rule = parseOne(inner)
    return typeof rule === 'string' ? rule : [rule]
  }
  const rules: FaultRule[] = []
  for (const [index, one] of inner.entries()) {
    const rule = parseOne(one)
    if (typeof rule === 'string')
      return inner.length === 1 ? rule : `The fault at place ${index + 1} cannot be read. ${rule}`
    rules.push(rule)
  }
  return rules
}

function parseOne(value: unknown): FaultRule | string {
  return typeof value === 'string' ? parseRuleText(value) : parseRule(value)
}
