import type { LoggedExchange } from '../../traffic/run-log.ts'
import { getMember, getRequestJson } from './response-access.ts'

/** Returns the model that a request names in its form or its JSON body. The value can have any type. */
export function getRequestedModel({ form, exchange }: Pick<LoggedExchange, 'form' | 'exchange'>): unknown {
  return form?.['model'] ?? getMember(getRequestJson(exchange), 'model')
}
