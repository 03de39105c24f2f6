import type { ValidRequest } from '../../core/validate.ts'
import { requiresStream, type FaultRule } from './rule.ts'

/** Tells whether a rule is for this request, whatever came before. */
export function matchesRule(rule: FaultRule, { account, work, fields, headers }: ValidRequest): boolean {
  if (rule.account !== undefined && rule.account !== account.id) return false
  if (rule.key !== undefined && rule.key !== account.key) return false
  if (rule.operation !== undefined && rule.operation !== work.operation) return false
  if (rule.model !== undefined && rule.model !== work.model) return false
  if (rule.header !== undefined && !hasHeader(headers, rule.header)) return false
  return !requiresStream(rule) || (work.operation === 'chat' && fields.values['stream'] === true)
}

/** `wanted` is `name` or `name: value`. */
function hasHeader(headers: ValidRequest['headers'], wanted: string): boolean {
  const colon = wanted.indexOf(':')
  const name = (colon === -1 ? wanted : wanted.slice(0, colon)).toLowerCase()
  const found = headers[name]
  if (found === undefined || colon === -1) return found !== undefined
  return [found].flat().includes(wanted.slice(colon + 1).trim())
}
