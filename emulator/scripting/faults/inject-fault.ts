import type { ApiResponse, WholeResponse } from '../../core/respond.ts'
import { defaultBody } from './default-fault-body.ts'
import { injectStreamFault } from './inject-stream-fault.ts'
import type { Fault } from './faults.ts'
import { replacesResponse, type FaultAction } from './rule.ts'

/**
 * Puts a fault on the answer that `serve` gives. A fault that leaves nothing of the service's own answer stands in for it:
 * `serve` is not called then, so that nothing is held, charged or counted.
 */
export function injectFault({ id, rule }: Fault, serve: () => ApiResponse): ApiResponse {
  if (replacesResponse(rule)) return replaceResponse(id, rule)
  const reply = serve()
  const headers = { ...reply.headers, ...faultHeaders(rule) }
  if (!('body' in reply)) return { ...injectStreamFault(reply, id, rule), headers, fault: id }
  const { cutAfterBytes: afterBytes, delayMs = 0, reset } = rule
  const disturbed: WholeResponse = { ...reply, headers, dueMs: reply.dueMs + delayMs, fault: id }
  return afterBytes === undefined
    ? disturbed
    : { ...disturbed, breakOff: { how: reset ? 'reset' : 'close', afterBytes } }
}

function replaceResponse(id: string, rule: FaultAction): WholeResponse {
  const { status = 500, body = defaultBody(id), delayMs: dueMs = 0, reset } = rule
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const headers = {
    'content-type': typeof body === 'string' ? 'text/plain' : 'application/json',
    ...faultHeaders(rule),
  }
  const reply: WholeResponse = { status, headers, body: text, dueMs, fault: id }
  return rule.status === undefined ? { ...reply, breakOff: { how: reset ? 'reset' : 'close' } } : reply
}

function faultHeaders({ contentType, retryAfterSeconds, headers }: FaultAction): Record<string, string> {
  const fields: Record<string, string> = {}
  if (contentType !== undefined) fields['content-type'] = contentType
  if (retryAfterSeconds !== undefined) fields['retry-after'] = String(retryAfterSeconds)
  for (const [name, value] of Object.entries(headers ?? {})) fields[name.toLowerCase()] = value
  return fields
}
